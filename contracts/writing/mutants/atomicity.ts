import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { inParts, range } from './in-parts.ts';
import { betweenCommits, ofKeptRows } from './killers.ts';
import { answer, ask, failWhole, hasFailed, isRowRefused } from './replies.ts';

const persists = 'nothing-persists-after-failure';
const partial = 'no-partial-visibility';
const atOnce = 'failures-at-once-leave-nothing';
const chunks = 'setup/chunks-are-crossed';
const transient = 'transient-fault-ends-whole';
const concurrent = 'concurrent-failure-is-isolated';
const oneCommit = 'is-one-commit';

/** Lies about what is left of a batch that the engine refused, and about what a reader sees of one before its end. */
export function atomicityMutants<Item>(batching: Batching<Item>): Mutant[] {
  const { item, items: several } = batching;
  return [
    batchMutant(batching, {
      id: 'rollback-keeps-one-row',
      lie: `Puts the row of the first ${item} back after the engine has refused the batch.`,
      target: persists,
      // The row is made beforehand, where a reader may see it for a moment, since a trap that has sprung lets none pass.
      alsoKilledBy: ofKeptRows,
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || copy.length < 2) return honest(items, options);
        const before = await tools.hand.snapshot();
        const first = await ask(honest, copy.slice(0, 1), options);
        if (hasFailed(first)) return failWhole(first, copy.length);
        const withFirst = await tools.hand.snapshot();
        await tools.hand.restore(before);
        const reply = await ask(honest, copy, options);
        if (isRowRefused(reply)) {
          await tools.hand.restore(withFirst);
          tools.lied();
        }
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'rollback-leaves-a-stranger',
      lie: `Leaves a row that belongs to no ${item} when the engine has refused a batch.`,
      target: persists,
      alsoKilledBy: [atOnce, concurrent],
      spoil(honest, tools, storeStranger) {
        // The row is made before any trap is armed and any reader looks.
        let stranger: unknown;
        tools.atOpen(async () => {
          const before = await tools.hand.snapshot();
          if (!(await storeStranger())) return;
          stranger = await tools.hand.snapshot();
          await tools.hand.restore(before);
        });
        return async (items, options) => {
          const copy = ordinaryCopy(batching, items);
          const reply = await ask(honest, copy ?? items, options);
          if (copy !== undefined && stranger !== undefined && isRowRefused(reply)) {
            await tools.hand.restore(stranger);
            tools.lied();
          }
          return answer(reply);
        };
      },
    }),
    inParts(batching, {
      id: 'commit-per-chunk',
      lie: 'Commits a batch in three chunks, each in a transaction of its own.',
      target: persists,
      alsoKilledBy: ofKeptRows,
      parts: ({ length }) => [
        range(0, Math.ceil(length / 3)),
        range(Math.ceil(length / 3), Math.ceil((2 * length) / 3)),
        range(Math.ceil((2 * length) / 3), length),
      ],
    }),
    inParts(batching, {
      id: 'last-chunk-apart',
      lie: `Commits everything but the last ${item} first, then the last ${item}.`,
      target: persists,
      alsoKilledBy: [atOnce, partial, chunks, transient, oneCommit, concurrent, ...betweenCommits],
      parts: ({ length }) => [range(0, length - 1), range(length - 1, length)],
    }),
    batchMutant(batching, {
      id: 'falls-back-to-singles',
      lie: `Sends the ${several} of a batch that was refused again, one by one, up to the first that is refused.`,
      target: persists,
      alsoKilledBy: [concurrent, atOnce],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const reply = await ask(honest, copy ?? items, options);
        if (copy === undefined || !isRowRefused(reply)) return answer(reply);
        const outcomes: ReportedOutcome[] = [];
        for (const single of copy) {
          const one = await ask(honest, [single], options);
          if (hasFailed(one)) return failWhole(one, copy.length);
          tools.lied();
          outcomes.push(...answer(one));
        }
        return outcomes;
      },
    }),
    batchMutant(batching, {
      id: 'flash-one-row',
      lie: `Commits the first two ${several} one after the other, and deletes them before it sends the batch.`,
      target: partial,
      // What it deletes it deletes by going back to what was there, and so a neighbour's rows as well.
      alsoKilledBy: [chunks, oneCommit, concurrent, ...betweenCommits],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || copy.length < 3) return honest(items, options);
        const before = await tools.hand.snapshot();
        for (const single of copy.slice(0, 2)) {
          const reply = await ask(honest, [single], options);
          if (!hasFailed(reply)) continue;
          await tools.hand.restore(before);
          return failWhole(reply, copy.length);
        }
        tools.lied();
        await tools.hand.restore(before);
        return honest(copy, options);
      },
    }),
    inParts(batching, {
      id: 'two-halves-with-compensation',
      lie: 'Commits a batch in two halves, and deletes the first again when the second fails.',
      target: partial,
      // It, too, goes back to what was there before.
      alsoKilledBy: [chunks, oneCommit, concurrent, ...betweenCommits],
      undone: true,
      parts: ({ length }) => [range(0, Math.ceil(length / 2)), range(Math.ceil(length / 2), length)],
    }),
  ];
}
