import type { ContractName } from '../contracts/ports.ts';

/** What a host must know of one member of a port. */
export interface MemberShape {
  /** Names of its parameters, for messages; one named `options` takes the signal. */
  parameters: string[];
  /** Whether it returns one outcome, a list of them, what became of a slot or of a window of them, or anything else. */
  returns: 'outcome' | 'outcomes' | 'slot' | 'window' | 'value';
  /** Has ended when it returns: a promise is not what it has to return. */
  atOnce?: true;
}

export interface PortShape {
  /** Statements that a backend gives beside `rows`; those that it must give, unless it brings a probe, are true. */
  statements: Record<string, boolean>;
  /** Members without which it is not that port. */
  required: string[];
  members: Record<string, MemberShape>;
}

/** What a host must know of each contract's port. */
export const portShapes: Record<ContractName, PortShape> = {
  'send-batch': {
    statements: { statuses: false },
    required: ['sendBatch'],
    members: {
      sendBatch: { parameters: ['messages', 'options'], returns: 'outcomes' },
      sendBatchSync: { parameters: ['messages', 'options'], returns: 'outcomes', atOnce: true },
      send: { parameters: ['message', 'options'], returns: 'outcome' },
      begin: { parameters: [], returns: 'value' },
      receive: { parameters: ['count'], returns: 'value' },
      accept: { parameters: ['messages', 'options'], returns: 'value' },
      flush: { parameters: [], returns: 'outcomes' },
      read: { parameters: [], returns: 'value' },
      inContext: { parameters: ['context', 'call'], returns: 'value' },
    },
  },
  'materialize-window': {
    statements: { schedules: true, audits: false, cancel: false, addChild: false },
    required: ['putSchedules', 'materialize', 'advance'],
    members: {
      putSchedules: { parameters: ['schedules'], returns: 'value' },
      materializeWindow: { parameters: ['window', 'options'], returns: 'window' },
      materialize: { parameters: ['single', 'options'], returns: 'slot' },
      advance: { parameters: ['advance', 'options'], returns: 'value' },
    },
  },
};

export const contractNames = Object.keys(portShapes) as ContractName[];

const anyMember: MemberShape = { parameters: [], returns: 'value' };

/** The shape of a member; one that the contract does not name takes and returns anything. */
export function memberShape(contract: ContractName, member: string): MemberShape {
  const members = portShapes[contract].members;
  return Object.hasOwn(members, member) ? members[member]! : anyMember;
}
