import type { Arbitrary } from 'fast-check';
import type { Declaration, EngineFacts, Need } from './capabilities.ts';
import type { Counterexample } from './counterexample.ts';
import type { Found, Lease } from './engine.ts';
import type { Settled } from './outcome.ts';

/** The set of clauses that guards of this release belong to. */
export const clauseSet = 1;

export type Level = 'must' | 'should';

/** How the judge runs a call in the subject's host. */
export interface CallOptions {
  /** Tells afterwards whether the subject changed its arguments; so does `scramble`. */
  compare?: boolean;
  freeze?: boolean;
  scramble?: 'inFlight' | 'settled';
  /** Aborts the call when it fires; one that is aborted already reaches the subject aborted. */
  signal?: AbortSignal;
  /**
   * Once the call has settled none of the subject's timers fires, until the rig is waited for or the next call: what is
   * read meanwhile is what was there when it settled, however long reading takes.
   */
  holdTimers?: boolean;
  /** Hands the call a transaction of the caller's. */
  transaction?: HeldTransaction;
  /** Makes the call inside this ambient context. */
  context?: string;
}

/** A transaction that the judge has begun as a caller of the subject does. Every step tells how it ended. */
export interface HeldTransaction {
  readonly id: number;
  run(statement: string): Promise<Settled<unknown>>;
  commit(): Promise<Settled<unknown>>;
  rollback(): Promise<Settled<unknown>>;
}

/** A subject that was opened in a host. */
export interface Subject {
  /** Members that the port really has. */
  readonly members: readonly string[];
  /** Rejects only when the subject died or the guard's deadline passed; what the subject throws is in the value. */
  call(member: string, args: unknown[], options?: CallOptions): Promise<Settled<unknown>>;
  /** Begins a transaction as a caller does; one that is open when the subject closes is rolled back. */
  begin(): Promise<HeldTransaction>;
  close(): Promise<void>;
}

/** A subject on a lease, with the probe that reads what it stored. */
export interface Rig {
  readonly lease: Lease;
  readonly subject: Subject;
  /** What is stored in the namespace, read around the subject: the rows, or what another statement of that name shows. */
  read(what?: string): Promise<Found>;
  /** Resolves when the subject has settled down: nothing of it runs in the engine and none of its timers is about to fire. */
  quiet(): Promise<Quiet>;
}

/** What was waited for until a subject had settled down. */
export interface Quiet {
  /** In words: what was seen in the engine. */
  engine: string;
  /** Timers of the subject that fired meanwhile. */
  timers: number;
  milliseconds: number;
  /** Something that the subject had sent was running all the time, or it kept a transaction open. */
  unfinished: boolean;
}

/** Where and when a subject believes itself to be. */
export interface World {
  /** Time zone of its process, such as `America/St_Johns`; it then runs in a process of its own. */
  zone?: string;
  /** Milliseconds by which its clock is ahead of the judge's. */
  clockShift?: number;
  /** Epoch milliseconds at which its clock stands still. */
  clockStandsAt?: number;
}

export interface OpenOptions {
  lease?: Lease;
  world?: World;
  /** A host of its own, so that two subjects can run at the same time. */
  anotherHost?: boolean;
  /** Behind a wrapper that passes everything through. */
  wrapped?: boolean;
  /** Leaves a namespace that appears with the first write as it is: not there. */
  uncreated?: boolean;
  /**
   * The engine's process may be killed under it. Where the engine lives in the subject's process, the subject gets a
   * process of its own; a call that dies with it settles as thrown, with the name `HostEnded`.
   */
  mayDie?: boolean;
}

/** What a guard works with: everything about one engine path of one backend. */
export interface Bench {
  readonly declaration: Declaration;
  readonly facts: EngineFacts;
  /**
   * The backend's statements, by name: `rows` reads the stored rows, unless the backend brings a probe of its own; what
   * else there is belongs to the contract.
   */
  readonly statements: Readonly<Record<string, string>>;
  /** A lease that nobody opened yet; released when the guard ends. */
  lease(): Promise<Lease>;
  /** A fresh subject, on a fresh lease or on the one given; closed when the guard ends. */
  open(options?: OpenOptions): Promise<Rig>;
  /**
   * A subject on an empty namespace. Within a property, and in a case over listed values, the same subjects serve one
   * value after the other, their leases restored, until a value fails; elsewhere it is a fresh one.
   */
  openEmpty(): Promise<Rig>;
  /** A named part of the guard. A violation inside it is recorded under its name and the next case goes on. */
  case(name: string, body: () => Promise<void>): Promise<void>;
  /** Enters cases that cannot be judged here, with what the engine lacks for them; where it lacks nothing, does nothing. */
  leaveOut(name: string, lacking: string | undefined): void;
  /** A case over listed values, up to the first that fails. */
  each<T>(name: string, values: readonly T[], body: (value: T) => Promise<void>): Promise<void>;
  /** A case over generated values, shrunk to the smallest that fails. */
  property<T>(name: string, values: Arbitrary<T>, body: (value: T) => Promise<void>): Promise<void>;
  /** One value, drawn by the seed. */
  draw<T>(values: Arbitrary<T>): T;
  /** A short text that nothing else in this run carries. */
  token(): string;
  /** Enters evidence: a count is added to what is there, a text replaces it. A zero makes the guard vacuous. */
  record(evidence: string, amount: number | string): void;
}

/** One rule of a contract, and the check that tells whether a subject keeps it. */
export interface Guard {
  id: string;
  level: Level;
  /** The clause set that it joined with. */
  since: number;
  /** The rule in one sentence, as it is printed when it breaks. */
  statement: string;
  needs: Need[];
  /** Evidence without which the verdict does not count. */
  proves: string[];
  /** Disturbs the whole engine or measures time: runs while nothing else does. */
  exclusive: boolean;
  /** Setup that every other verdict rests on: when it breaks, nothing else is judged. */
  foundation: boolean;
  /** Cannot be judged by a host in the judge's own thread. */
  needsThread: boolean;
  /** Takes long, and is about the algorithm whatever mode the engine is in: judged in one mode of each variant. */
  onceForVariant: boolean;
  check(bench: Bench): Promise<void>;
}

type GuardDefinition = Pick<Guard, 'id' | 'statement' | 'proves' | 'check'> & Partial<Guard>;

/** Describes a guard; what is left out is the strict and usual case. */
export function guard(g: GuardDefinition): Guard {
  if (g.proves.length === 0)
    throw new TypeError(`guard ${g.id} names no evidence: a check that cannot be vacuous proves nothing`);
  return {
    level: 'must',
    since: 1,
    needs: [],
    exclusive: false,
    foundation: false,
    needsThread: false,
    onceForVariant: false,
    ...g,
  };
}

/** A set of guards over one operation, with the mutants that prove them. */
export interface Contract {
  name: string;
  /** What the operation is, in one line. */
  title: string;
  guards: Guard[];
}

export function contract(c: Contract): Contract {
  const seen = new Set<string>();
  for (const { id } of c.guards) {
    if (seen.has(id)) throw new TypeError(`contract ${c.name} has two guards named ${id}`);
    seen.add(id);
  }
  return c;
}

/** Thrown by a guard: the rule is broken. */
export class Violation extends Error {
  override name = 'Violation';
  readonly counterexample: Counterexample | undefined;

  constructor(message: string, counterexample?: Counterexample) {
    super(message);
    this.counterexample = counterexample;
  }
}

/** Thrown by a guard that finds, by evidence, that it cannot be judged here. */
export class NotApplicable extends Error {
  override name = 'NotApplicable';
  readonly by: 'backend' | 'engine' | 'host';

  constructor(by: 'backend' | 'engine' | 'host', reason: string) {
    super(reason);
    this.by = by;
  }
}

/** Thrown by a guard whose own premise does not hold: it has nothing to say about its rule. */
export class Vacuous extends Error {
  override name = 'Vacuous';
}
