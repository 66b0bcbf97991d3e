import type { Mutant } from '../../kernel/mutant.ts';
import { except } from '../../kernel/with-rigs.ts';
import { declaredChunkRows } from '../../kernel/writes.ts';
import { noFault, setupMutant, withCalls, withLeases } from './spoil.ts';

const fires = 'setup/fault-fires';
const chunks = 'setup/chunks-are-crossed';
const distinct = 'setup/items-are-distinct';
const race = 'setup/race-happened';

/** Lies about faults, chunks, generated items and overlap. */
export const evidenceMutants: Mutant[] = [
  setupMutant({
    id: 'fault-is-never-armed',
    lie: 'A fault is said to be armed, and is not.',
    target: fires,
    expects: 'vacuous',
    bench: (bench, lied) =>
      withLeases(bench, () => ({
        async arm() {
          lied();
          return noFault;
        },
      })),
  }),
  setupMutant({
    id: 'fault-is-not-counted',
    lie: 'A fault fires, but its count goes with the transaction that it ends.',
    target: fires,
    expects: 'vacuous',
    bench: (bench, lied) =>
      withLeases(bench, (lease) => ({
        async arm(fault) {
          const armed = await lease.arm(fault);
          return except(armed, {
            async sprung() {
              lied();
              return noFault.sprung();
            },
          });
        },
      })),
  }),
  setupMutant({
    id: 'fault-outlives-its-removal',
    lie: 'A fault that was disarmed goes on firing.',
    target: fires,
    cannot: (_, { lacks }) => lacks.observer && `a fresh subject would not meet it: ${lacks.observer}`,
    bench: (bench, lied) =>
      withLeases(bench, (lease) => ({
        async arm(fault) {
          const armed = await lease.arm(fault);
          return except(armed, {
            async disarm() {
              lied();
            },
          });
        },
      })),
  }),
  setupMutant({
    id: 'chunk-size-overstated',
    lie: 'Declares that a statement carries more items than it does.',
    target: chunks,
    cannot: ({ chunk }) => (chunk === 'none' ? 'a batch is one statement, whatever its size' : undefined),
    bench(bench, lied) {
      lied();
      return except(bench, {
        declaration: { ...bench.declaration, chunk: { rows: 2 * declaredChunkRows(bench.declaration) } },
      });
    },
  }),
  setupMutant({
    id: 'chunk-is-denied',
    lie: 'Declares one statement where a batch takes several, and several where it takes one.',
    target: chunks,
    bench(bench, lied) {
      lied();
      const chunk = bench.declaration.chunk === 'none' ? { rows: 3 } : ('none' as const);
      return except(bench, { declaration: { ...bench.declaration, chunk } });
    },
  }),
  setupMutant({
    id: 'generator-repeats-an-option',
    lie: 'The second item of a batch gets the options of the first.',
    target: distinct,
    expects: 'vacuous',
    cannot: ({ offers: offered }) => (offered.length === 0 ? 'no option is offered' : undefined),
    bench: (bench, lied) =>
      except(bench, {
        draw(values) {
          const drawn = bench.draw(values);
          // By how much the options of one item differ from those of the next.
          if (typeof drawn === 'number') {
            lied();
            return 0 as typeof drawn;
          }
          if (!Array.isArray(drawn) || drawn.length < 2) return drawn;
          lied();
          return drawn.with(1, drawn[0]) as typeof drawn;
        },
      }),
  }),
  setupMutant({
    id: 'mutex-round-the-subject',
    lie: 'Calls wait for each other, those of other subjects too.',
    target: race,
    expects: 'vacuous',
    bench(bench, lied) {
      let last: Promise<unknown> = Promise.resolve();
      let running = 0;
      return withCalls(bench, ({ make }) => {
        if (running > 0) lied();
        running += 1;
        const call = last.then(() => make()).finally(() => (running -= 1));
        last = call.catch(() => {});
        return call;
      });
    },
  }),
];
