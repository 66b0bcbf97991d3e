import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { Failure } from '../contracts/kernel/outcome.ts';
import type { Wire } from './codec.ts';
import type { QuietTimers } from './timers.ts';

/** A module that a host loads: a `file:` URL and the name of an export. */
export interface ModuleRef {
  url: string;
  export: string;
}

/** What the judge asks of a host. Every request gets exactly one reply with the same id. */
export type Request = { id: number } & Ask;
export type Ask =
  /** Loads the agents (URLs by provider; which one is needed only the backend tells), then the backend. Replies with a manifest. */
  | { do: 'load'; backend: ModuleRef; agents: Record<string, string>; clockShift: number; clockStandsAt?: number }
  | { do: 'declare'; variant: string; contract: string; facts: EngineFacts }
  /** Opens a subject (or, with `as: 'probe'`, the backend's own probe) under a session number of the judge's choice. */
  | {
      do: 'open';
      session: number;
      as: 'subject' | 'probe';
      variant: string;
      contract: string;
      site: Site;
      mutants: string[];
    }
  | { do: 'call'; session: number; member: string; args: Wire; prepare: Prepare }
  /** Begins a transaction as a caller of the subject does. Replies with its number. */
  | { do: 'begin'; session: number }
  /** Goes on with a transaction: runs a statement of the caller's own in it, or ends it. */
  | { do: 'transact'; transaction: number; step: 'run'; statement: string }
  | { do: 'transact'; transaction: number; step: 'commit' | 'rollback' }
  /** Aborts the signal of a call, which may have settled since. */
  | { do: 'cancel'; call: number }
  /** Reads by a probe: the rows, or what another of its functions shows. */
  | { do: 'rows'; session: number; of: string }
  | { do: 'close'; session: number }
  | { do: 'agent'; site: Site; method: string; args: Wire }
  /** How often each mutant of this session changed something observable. */
  | { do: 'lies'; session: number }
  /** Waits until no timer of the subject's is about to fire. */
  | { do: 'quiet' }
  | { do: 'ping' };

/** What the host does with the arguments that it made from the message. */
export interface Prepare {
  /** Compares them afterwards with what they were. */
  compare?: boolean;
  /** Freezes them deeply before the call. */
  freeze?: boolean;
  /** Overwrites the caller's objects and buffers once the call has returned its promise, or has settled. */
  scramble?: 'inFlight' | 'settled';
  /** Hands the call an AbortSignal, running or already aborted. */
  signal?: 'live' | 'aborted';
  /** Keeps the subject's timers from firing once the call has settled, until the judge asks for quiet or calls again. */
  holdTimers?: boolean;
  /** Hands the call the transaction of that number. */
  transaction?: number;
  /** Makes the call inside this ambient context. */
  context?: string;
}

export type Reply =
  | { id: number; value: Wire; touched?: string }
  | { id: number; threw: Failure; touched?: string }
  /** The host could not do what it was asked: a fault of the harness or of the adapter's shape, not of a call. */
  | { id: number; refused: Failure };

/** What a host says unasked. */
export type HostEvent =
  /** Thrown outside any promise that the judge waits for, or a rejection that nobody handled. */
  | { event: 'stray'; failure: Failure }
  /** Text that the subject wrote to the console; after the first few kilobytes only the count goes on. */
  | { event: 'console'; bytes: number; text: string };

export type HostMessage = Reply | HostEvent;

/** What a loaded backend says of itself. */
export interface Manifest {
  name: string;
  provider: string;
  variants: Record<
    string,
    Record<string, { statements: Record<string, string>; ownProbe: boolean; members: string[] | null }>
  >;
}

/** Types of the values that replies carry, by request. */
export interface Replies {
  load: Manifest;
  declare: Declaration;
  open: { members: string[] };
  call: unknown;
  begin: number;
  transact: unknown;
  cancel: null;
  rows: Found;
  close: null;
  agent: unknown;
  lies: Record<string, number>;
  quiet: QuietTimers;
  ping: null;
}
