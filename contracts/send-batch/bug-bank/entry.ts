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
interface Check {
  check: 'is vacuous';
}

/** Another contract, or another engine, covers it. */
interface Later {
  later: 'materialize-window' | 'update-batch' | 'read-many' | 'write-batch' | 'mysql' | 'redis' | 'lmdb';
}

/** Nothing covers it, for this reason. */
interface None {
  none: string;
}
