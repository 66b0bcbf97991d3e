import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { CallOptions, HeldTransaction, World } from '../contracts/kernel/guard.ts';
import type { Failure, Settled } from '../contracts/kernel/outcome.ts';
import type { HostMessage, Manifest, ModuleRef, Request } from './protocol.ts';
import type { QuietTimers } from './timers.ts';

/** Where a host's subject lives. */
export type HostKind = 'worker' | 'process' | 'inline';

export interface HostOptions {
  kind: HostKind;
  backend: ModuleRef;
  /** Where and when the subject believes itself to be. */
  world?: World;
  /** URLs of the agents that live beside subjects, by the provider's name. */
  agents: Record<string, string>;
  /** Milliseconds for the host to start and to load the backend. */
  loadWithin?: number;
  /** Milliseconds that a subject has to close. */
  closeWithin?: number;
  /** Hears every message in the order in which the judge sends or receives it. */
  trace?: (exchanged: Exchanged) => void;
}

/** One message between the judge and a host. */
export type Exchanged = { from: 'judge'; message: Request } | { from: 'host'; message: HostMessage };

/** A place where subjects live, seen from the judge. */
export interface Host {
  readonly kind: HostKind;
  readonly manifest: Manifest;
  /** Set once the host has ended, with the reason in words (`process.exit(3)`, `terminated`, ...). */
  readonly ended: string | undefined;
  /** What was thrown outside any promise since the last call of this function. */
  takeStrays(): Failure[];
  /** What subjects wrote to the console since the last call: bytes in all, and the first few kilobytes. */
  takeConsole(): { bytes: number; text: string };
  declare(variant: string, contract: string, facts: EngineFacts): Promise<Declaration>;
  open(o: {
    as: 'subject' | 'probe';
    variant: string;
    contract: string;
    site: Site;
    mutants?: string[];
  }): Promise<Session>;
  agent(site: Site, method: string, args: unknown[]): Promise<unknown>;
  /** Waits until no timer that a subject set is about to fire; at most about a second. An inline host waits for none. */
  quiet(): Promise<QuietTimers>;
  /** Whether the host's thread answers within `ms`; false for one that loops. */
  answers(ms: number): Promise<boolean>;
  /** Ends the thread or process at once; requests that wait for a reply reject with `HostEnded`. */
  terminate(): Promise<void>;
}

/** A subject or probe that was opened in a host. */
export interface Session {
  readonly members: readonly string[];
  call(member: string, args: unknown[], options?: CallOptions): Promise<Settled<unknown>>;
  /** Begins a transaction as a caller of the subject does. */
  begin(): Promise<HeldTransaction>;
  /** Reads by one of a probe's functions; by `rows` where none is named. */
  rows(of?: string): Promise<Found>;
  lies(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** The host ended while a reply was awaited: `process.exit`, a crash, out of memory, or `terminate`. */
export class HostEnded extends Error {
  override name = 'HostEnded';
}

/** The host could not do what it was asked: an adapter of the wrong shape, a module that does not load. */
export class HostRefused extends Error {
  override name = 'HostRefused';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}
