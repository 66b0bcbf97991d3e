/** The options of an item that are plain metadata, in the order in which they are set. */
export const metadataOptions = [
  'destination',
  'delay',
  'expiration',
  'priority',
  'route',
  'correlationId',
  'headers',
] as const;
export type MetadataOption = (typeof metadataOptions)[number];

/** What a call can ask for in its input. Not offered means refused before any write, and that is tested. */
export const offers = [
  ...metadataOptions,
  'dedupeKey',
  'callerIds',
  'columns',
  'jobs',
  'binary',
  'transaction',
  'cancel',
  'chunkSize',
  'condition',
] as const;
export type Offer = (typeof offers)[number];

/** Properties that the input does not show. Expected, unless given up with a reason that every run prints. */
export const promises = ['atomic', 'isolated', 'ids', 'batched', 'concurrency', 'bulk'] as const;
export type PromiseName = (typeof promises)[number];

/** Properties that a backend claims over and above the contract. */
export const extras = [
  'durable',
  'persistent',
  'fifo',
  'statusTable',
  'sync',
  'buffered',
  'ambient',
  'combiner',
  'handoff',
  'mayDecline',
  'uniqueSlot',
  'audit',
  'read',
  'timeout',
  'wait',
] as const;
export type Extra = (typeof extras)[number];

/** What only the engine and its provider can give. Present, unless the provider says what is lacking and why. */
export const means = [
  /** A second reader that can look while a write is in flight. */
  'observer',
  /** An error raised by the engine at the n-th row of a table. */
  'rowFault',
  /** A commit that the engine refuses. */
  'commitFault',
  /** A rollback that fails. */
  'rollbackFault',
  /** A lock held by another session. */
  'lock',
  /** The subject's connection can be cut at any point of what it says. */
  'cut',
  /** What the subject says can be held at any point. */
  'hold',
  /** The engine ends a session's work by itself: by a time-out, or by ending the session. */
  'abort',
  /** The engine's process, or the process that hosts it, can be killed and started again on the same data. */
  'crash',
  /** Statements and transactions of the subject can be counted. */
  'trace',
  /** The subject reaches its engine over a connection whose round trips can be counted. */
  'wire',
  /** The next identity that a table gives out can be set. */
  'identityStart',
  /** Identities can be made to step by more than one. */
  'identityStep',
  /** The time zone of the subject's sessions can be set. */
  'sessionZone',
  /** Subjects can live in a process of their own. */
  'ownProcess',
  /** How many parameters one statement can have is known. */
  'paramLimit',
  /** Two hosts can open the same lease at once. */
  'twoHosts',
  /** A namespace that was never created can be told from an empty one. */
  'namespaces',
] as const;
export type Means = (typeof means)[number];

/** What a guard depends on: `!atomic` means that the guard runs only where atomic is given up (or not offered). */
export type Capability = Offer | PromiseName | Extra | Means;
export type Need = Capability | `!${Capability}`;

/** How one batch is cut into statements: not at all, or after so many rows or bound parameters. */
export type Chunk = 'none' | { rows: number } | { params: number };

/** What a backend says of one variant of itself for one contract. Everything is data. */
export interface Declaration {
  offers: Offer[];
  givesUp: Partial<Record<PromiseName, string>>;
  extras: Extra[];
  chunk: Chunk;
  /** Whether a failed batch is N failed outcomes or a throw. */
  onFailure: 'outcomes' | 'throws';
  /** Whose clock stamps the rows. */
  clock: 'database' | 'caller';
  /** The type of a body: any JSON value, text, or bytes. */
  body: 'json' | 'text' | 'bytes';
  /** Whether a namespace must have been created, or appears with the first write. */
  namespaces: 'explicit' | 'onDemand';
  /** Smallest step of a stored instant, in milliseconds. */
  timeResolution: number;
  limits: { maxItems?: number; maxBytes?: number };
  /**
   * What becomes of an item whose key is stored already, or stands earlier in the batch. `skip`: it is not stored, and
   * its outcome is `duplicate` with the id of the row that holds the key. `replace`: that row takes its content, and its
   * outcome is the same. `refuse`: the batch fails.
   */
  keyPolicy: 'refuse' | 'skip' | 'replace';
  /** Differences that do not make two keys different. */
  keysEqual: KeyDifference[];
  /** Names of the destinations that there are, or any. */
  destinations: 'any' | string[];
  /** The form of an id that the caller may give. */
  idForm: 'text' | 'uuid';
  /** What a chunk size of 0, a negative one and NaN bring. */
  badChunkSize: 'refused' | 'default';
  /** Options of which a blank (`0`, `''`, `{}`) means that they are absent. */
  blankIsAbsent: Offer[];
  /** What becomes of a window whose slots are not ascending, or begin before the cursor. */
  disorder: 'folded' | 'refused';
}

/** Ways in which two keys can differ that some backends take for the same: by `destination`, the key itself is equal. */
export const keyDifferences = ['case', 'trailingSpace', 'normalForm', 'destination'] as const;
export type KeyDifference = (typeof keyDifferences)[number];

export const strictDeclaration: Declaration = {
  offers: [],
  givesUp: {},
  extras: [],
  chunk: 'none',
  onFailure: 'throws',
  clock: 'caller',
  body: 'json',
  namespaces: 'explicit',
  timeResolution: 1,
  limits: {},
  keyPolicy: 'skip',
  keysEqual: [],
  destinations: 'any',
  idForm: 'text',
  badChunkSize: 'refused',
  blankIsAbsent: [],
  disorder: 'folded',
};

/** What the engine is and can do, for one mode. */
export interface EngineFacts {
  provider: string;
  mode: string;
  version: string;
  /** Parameters that one statement can have at most; absent where there is no such limit. */
  maxParams?: number;
  /** What is missing, each with the reason and what would give it. */
  lacks: Partial<Record<Means, string>>;
}

const promiseSet: ReadonlySet<string> = new Set(promises);
const extraSet: ReadonlySet<string> = new Set(extras);
const meansSet: ReadonlySet<string> = new Set(means);

/** Why a guard with these needs does not apply, or undefined when it does. */
export function whyNotApplicable(
  needs: readonly Need[],
  declaration: Declaration,
  facts: EngineFacts,
): NotApplicableReason | undefined {
  for (const need of needs) {
    const negated = need.startsWith('!');
    const name = (negated ? need.slice(1) : need) as Capability;
    const absent = absence(name, declaration, facts);
    if (!negated && absent) return absent;
    if (negated && !absent) return { by: 'backend', reason: `${name} is promised` };
  }
  return undefined;
}

export interface NotApplicableReason {
  /**
   * Who declared it: the backend lacks the capability, or the engine (its provider) has no means; the host cannot do it,
   * or the run does it elsewhere.
   */
  by: 'backend' | 'engine' | 'host' | 'run';
  reason: string;
}

function absence(name: Capability, declaration: Declaration, facts: EngineFacts): NotApplicableReason | undefined {
  if (meansSet.has(name)) {
    const reason = facts.lacks[name as Means];
    return reason === undefined ? undefined : { by: 'engine', reason };
  }
  if (promiseSet.has(name)) {
    const reason = declaration.givesUp[name as PromiseName];
    return reason === undefined ? undefined : { by: 'backend', reason: `${name} is given up: ${reason}` };
  }
  if (extraSet.has(name)) {
    return declaration.extras.includes(name as Extra) ? undefined : { by: 'backend', reason: `${name} is not claimed` };
  }
  return declaration.offers.includes(name as Offer) ? undefined : { by: 'backend', reason: `${name} is not offered` };
}
