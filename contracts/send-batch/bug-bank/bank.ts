import { ambiguity } from './entries/ambiguity.ts';
import { atomicity } from './entries/atomicity.ts';
import { cancellation } from './entries/cancellation.ts';
import { concurrency } from './entries/concurrency.ts';
import { limits } from './entries/limits.ts';
import { metadata } from './entries/metadata.ts';
import { order } from './entries/order.ts';
import { performance } from './entries/performance.ts';
import { reporting } from './entries/reporting.ts';
import { setup } from './entries/setup.ts';

/** A defect of a batch write that was reported in public, as a fact; of the cited project nothing else is said. */
export interface BankEntry {
  id: string;
  /** Where it was reported: owner/repository#number. */
  report: string;
  /** What goes wrong. */
  fault: string;
  /** The smallest input that shows it. */
  trigger: string;
  covered: Covered;
}

export type Covered = Caught | Check | Later | None;

/** A faulty queue of the same kind is in the bank, and this guard finds it. */
export interface Caught {
  /** The guard's name after `send-batch/`, or its whole name. */
  by: string;
  /** The engine on which it shows; memory, where nothing is said. */
  on?: 'sqlite' | 'postgres';
  /** The entry whose implementation this one shares. */
  like?: string;
  /** Where the subject has to live; in the judge's own thread, where nothing is said. */
  host?: 'worker' | 'process';
  /** Milliseconds that the guard has, where the fault is that a call never settles. */
  within?: number;
}

/** It is a fault of a check, not of a queue: one of the same kind is in the bank, and is found to prove nothing. */
export interface Check {
  check: 'is vacuous';
}

/** Another contract, or another engine, covers it. */
export interface Later {
  later: 'materialize-window' | 'update-batch' | 'read-many' | 'write-batch' | 'mysql' | 'redis' | 'lmdb';
}

/** Nothing covers it, for this reason. */
export interface None {
  none: string;
}

/** All entries, by group. */
export const bank: Readonly<Record<string, readonly BankEntry[]>> = {
  'order and ids': order,
  atomicity,
  'reporting per slot': reporting,
  'persisted metadata': metadata,
  'limits and chunks': limits,
  concurrency,
  'cancellation and lost connections': cancellation,
  'ambiguity and retries': ambiguity,
  'tests that cannot fail': setup,
  performance,
};

/** The ids that the bank was drawn up with: one that is missing above has been forgotten. */
const numbers = {
  ORD: '02 03 04 06 07 08 09 12 14 15 17 18 20 21 23 25 26 27 28 29 32 33',
  ATM: '01 03 06 09 11 12 13 17 18 20 21',
  RPT: '01 02 07 08 10 11 14 15 16 17 18 21 23 27 28 29 30 31 32 35 37 38 39 40 42 43 44 45 46 47 48 49',
  MET: '02 03 04 05 06 07 08 09 10 12 13 14 17 18 19 22 23 25 26 27 30',
  LIM: '02 03 04 06 07 08 11 13 14 15',
  CON: '01 04 05 07 08 10 11',
  CAN: '02 05 06 07 08 09 10 12 13 14 16',
  AMB: '01 04 05 06 07 09 10 11',
  SET: '02 04 07 08 09 10 12',
  PRF: '02 03 04',
};

export const allIds: readonly string[] = Object.entries(numbers).flatMap(([group, list]) =>
  list.split(' ').map((number) => `${group}-${number}`),
);
