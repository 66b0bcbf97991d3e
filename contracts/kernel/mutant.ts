import type { Declaration, EngineFacts, Need } from './capabilities.ts';
import type { Site } from './engine.ts';
import type { Bench } from './guard.ts';

/** What is done to one row: its columns may be overwritten; it is removed where `'remove'` is returned. */
export type Edit = (row: Record<string, unknown>, table: string) => unknown;

/**
 * Reads and writes the content of a lease by the provider's own statements, from inside the subject's host.
 * Everything may be a promise: where the engine is a server, it is.
 */
export interface Hand {
  snapshot(): unknown;
  restore(snapshot: unknown): void | Promise<void>;
  /** Shows every stored row to `change`. */
  edit(change: Edit): void | Promise<void>;
}

/** What a behavioural mutant may use beside the port: the engine's own hand, in the subject's host. */
export interface MutantTools {
  site: Site;
  /** To be called whenever the lie changed something that the caller or a reader could observe. */
  lied(): void;
  hand: Hand;
  /** Runs the original call of another member or with other arguments. */
  readonly later: (work: () => unknown, milliseconds: number) => void;
  /** Does something once the subject is open, before anybody gets it. */
  readonly atOpen: (work: () => unknown) => void;
  /** Does something when the subject is closed, before it is. */
  readonly atClose: (work: () => unknown) => void;
}

/** A correct subject spoiled at the port, to prove that a guard can fail. */
export interface Mutant<P = unknown> {
  id: string;
  /** What the spoiled subject does wrong, in one sentence. */
  lie: string;
  /** The guard that must catch it. */
  target: string;
  /** Tells no lie: it has no target, and every guard must let it live. */
  control: boolean;
  /** Guards that may catch it as well. */
  alsoKilledBy: string[];
  /** The verdict that the target must give. */
  expects: 'violated' | 'vacuous';
  /** Milliseconds after which a call counts as one that never settles, where that is the lie. */
  timeout?: number;
  /** What the lie needs beyond what its target needs. */
  needs?: Need[];
  /** Why the lie cannot be told on an engine path, in words; undefined where it can. */
  cannot?(declaration: Declaration, facts: EngineFacts): string | undefined;
  /** Of which backends alone the lie can be told, where that shows only in what they do: elsewhere it is inert. */
  only?: string;
  /** Spoils the port, in the subject's host. */
  wrap(subject: P, tools: MutantTools): P;
  /** Spoils where the subject opens (a setting in its address), before it does; returns the site itself where it cannot. */
  site?(site: Site): Site;
  /** Spoils what the guard works with, in the judge: leases, faults, probes, generated items. For guards of setup. */
  bench?(bench: Bench, lied: () => void): Bench;
}

/** Whether a mutant, by its whole name, spoils subjects of a contract; those of the setup spoil subjects of every one. */
export function spoils({ id }: Pick<Mutant, 'id'>, contract: string): boolean {
  return id.startsWith(`${contract}/`) || id.startsWith('setup/');
}

/** Describes a behavioural mutant; it is expected to be found in violation by its target alone. */
export function mutant<P>(m: Pick<Mutant<P>, 'id' | 'lie' | 'target' | 'wrap'> & Partial<Mutant<P>>): Mutant<P> {
  return { control: false, alsoKilledBy: [], expects: 'violated', ...m };
}

/** Describes a wrapper that changes nothing that a contract speaks of, to prove that a guard does not fail for nothing. */
export function control<P>(m: Pick<Mutant<P>, 'id' | 'lie' | 'wrap'>): Mutant<P> {
  return mutant({ ...m, control: true, target: 'none' });
}
