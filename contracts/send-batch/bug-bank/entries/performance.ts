import type { BankEntry } from '../entry.ts';

/** A batch has to be worth it. */
export const performance: readonly BankEntry[] = [
  {
    id: 'PRF-02',
    report: 'blehnen/DotNetWorkQueue#239',
    fault: 'every message is a transaction of its own, all at once',
    trigger: 'any batch',
    covered: { by: 'is-one-commit' },
  },
  {
    id: 'PRF-03',
    report: 'pal-tamas/rask#1063',
    fault: 'every row is a round trip of its own',
    trigger: 'a batch of many',
    covered: { by: 'is-one-round-trip-per-chunk', on: 'postgres' },
  },
  {
    id: 'PRF-04',
    report: 'dotnet/efcore#6604',
    fault: 'chunks are far smaller than the limit asks for',
    trigger: 'a batch of more than one chunk',
    covered: { by: 'setup/chunks-are-crossed' },
  },
];
