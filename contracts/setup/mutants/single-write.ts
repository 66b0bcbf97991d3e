import type { Mutant } from '../../kernel/mutant.ts';
import { grown } from '../../kernel/writes.ts';
import { itemsOf } from './items.ts';
import { setupMutant, withCalls, withProbe } from './spoil.ts';

const single = 'setup/single-write-is-seen';

/** Lies about the single path, and about what the probe shows of it. */
export const singleWriteMutants: Mutant[] = [
  setupMutant({
    id: 'single-send-stores-nothing',
    lie: 'A single write is reported as stored, and is not.',
    target: single,
    bench: (bench, lied) =>
      withCalls(bench, async ({ args, rig, make }) => {
        if (itemsOf(args).length !== 1) return make();
        const before = await rig.lease.snapshot();
        const settled = await make();
        if (Object.keys(grown(before, await rig.lease.snapshot())).length > 0) {
          lied();
          await rig.lease.restore(before);
        }
        return settled;
      }),
  }),
  setupMutant({
    id: 'probe-drops-a-column',
    lie: 'The probe leaves out a column whose value the subject was given.',
    target: single,
    cannot: ({ offers: offered }) => (offered.length === 0 ? 'no option is offered' : undefined),
    bench: (bench, lied) =>
      withProbe(bench, (rig) => {
        const given = new Set<string>();
        return {
          async called(args) {
            for (const { body: _, ...options } of itemsOf(args))
              for (const value of Object.values(options)) given.add(asText(value));
          },
          async read() {
            const found = await rig.read();
            if (!('rows' in found)) return found;
            return { rows: found.rows.map((row) => withoutOne(row, given, lied)) };
          },
        };
      }),
  }),
];

/** The row without the first column that holds what a subject was given. */
function withoutOne(row: Record<string, unknown>, given: ReadonlySet<string>, lied: () => void) {
  const column = Object.keys(row).find((name) => name !== 'id' && given.has(asText(row[name])));
  if (column === undefined) return row;
  lied();
  return Object.fromEntries(Object.entries(row).filter(([name]) => name !== column));
}

/** A value as text, alike for a number and for the bigint or the JSON that it was stored as. */
function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
