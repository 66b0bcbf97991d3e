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
import type { BankEntry } from './entry.ts';

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
