import type { EngineFacts } from '../../kernel/capabilities.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import {
  answer,
  ask,
  errorsOf,
  failWhole,
  hasFailed,
  isRefused,
  isRowRefused,
  madeUp,
  type Reply,
  withoutSignal,
} from './replies.ts';

const persists = 'nothing-persists-after-failure';
const usable = 'backend-usable-after-failure';
const late = 'nothing-arrives-late';
const back = 'failed-batch-does-not-come-back';
const commit = 'commit-failure-is-reported';
const transient = 'transient-fault-ends-whole';
const concurrent = 'concurrent-failure-is-isolated';
const atOnce = 'failures-at-once-leave-nothing';
const fires = 'setup/fault-fires';

/** Milliseconds after which something of a call arrives late: later than anybody looks who does not wait for it. */
const lateness = 150;

/** Lies about what comes after a batch has settled, and about what the engine refuses. */
export function aftermathMutants<Item>(batching: Batching<Item>): Mutant[] {
  const { item, items: several } = batching;
  return [
    batchMutant(batching, {
      id: 'late-extra-row',
      lie: `Stores a row that belongs to no ${item}, some milliseconds after it has reported a batch of more than a hundred as stored.`,
      target: late,
      // Whoever looks at all rows again, some milliseconds later, finds it.
      alsoKilledBy: [persists],
      spoil: (honest, tools, storeStranger) => async (items, options) => {
        const reply = await ask(honest, items, options);
        if (items.length > 100 && !hasFailed(reply)) {
          tools.later(async () => {
            if (await storeStranger()) tools.lied();
          }, lateness);
        }
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'straggler-after-failure',
      lie: `Stores the first ${item} of a batch that the engine refused, some milliseconds after it has reported the failure.`,
      target: late,
      alsoKilledBy: [persists, usable, back, transient, fires, concurrent, atOnce],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const reply = await ask(honest, items, options);
        if (copy?.length && isRowRefused(reply)) {
          tools.later(async () => {
            if (!hasFailed(await ask(honest, copy.slice(0, 1), withoutSignal(options)))) tools.lied();
          }, lateness);
        }
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'poisoned-after-failure',
      lie: 'Fails the batch after one that the engine refused.',
      target: usable,
      spoil(honest, tools) {
        let poison: Reply | undefined;
        return async (items, options) => {
          if (poison !== undefined) {
            const reply = poison;
            poison = undefined;
            tools.lied();
            return failWhole(reply, items.length);
          }
          const ordinary = batching.areOrdinary(items);
          const reply = await ask(honest, items, options);
          if (ordinary && isRowRefused(reply)) poison = reply;
          return answer(reply);
        };
      },
    }),
    batchMutant(batching, {
      id: 'last-reply-first',
      lie: 'Stores the batch after one that the engine refused, but answers it with the reply to the refused one.',
      target: usable,
      alsoKilledBy: [transient, concurrent],
      spoil(honest, tools) {
        let unread: Reply | undefined;
        return async (items, options) => {
          const late = unread;
          unread = undefined;
          const ordinary = batching.areOrdinary(items);
          const reply = await ask(honest, items, options);
          if (late !== undefined) {
            tools.lied();
            return answer(late);
          }
          if (ordinary && isRowRefused(reply)) unread = reply;
          return answer(reply);
        };
      },
    }),
    batchMutant(batching, {
      id: 'ghosts-with-the-next-batch',
      lie: `Stores the ${several} of a batch that the engine refused together with those of the next batch.`,
      target: back,
      alsoKilledBy: [transient, commit, concurrent],
      spoil(honest, tools) {
        let ghosts: Item[] = [];
        return async (items, options) => {
          const copy = ordinaryCopy(batching, items);
          const [kept, reply] = [ghosts, await ask(honest, [...ghosts, ...items], options)];
          ghosts = [];
          if (hasFailed(reply)) {
            if (copy !== undefined && isRowRefused(reply)) ghosts = copy;
            return kept.length === 0 ? answer(reply) : failWhole(reply, items.length);
          }
          if (kept.length > 0) tools.lied();
          return answer(reply).slice(kept.length);
        };
      },
    }),
    batchMutant(batching, {
      id: 'commit-error-swallowed',
      lie: 'Reports a batch whose commit the engine refused as stored, under ids that it made up.',
      target: commit,
      // Where the engine words both alike, a refused row is taken for a refused commit.
      alsoKilledBy: [persists, usable, back, transient, fires, concurrent, atOnce],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const reply = await ask(honest, items, options);
        if (copy === undefined || !hasFailed(reply) || !isRefused(reply, refusedCommit)) return answer(reply);
        tools.lied();
        return madeUp(copy.length);
      },
    }),
    batchMutant(batching, {
      id: 'time-out-is-success',
      lie: 'Reports a batch that the engine ended by a time-out as stored, under ids that it made up.',
      target: 'server-abort-is-reported',
      alsoKilledBy: [usable],
      cannot: (_, { lacks }: EngineFacts) => lacks.abort,
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        const reply = await ask(honest, items, options);
        if (copy === undefined || !hasFailed(reply) || !codesOf(reply).some((code) => timeOuts.has(code))) {
          return answer(reply);
        }
        tools.lied();
        return madeUp(copy.length);
      },
    }),
    triedAgain(batching, {
      id: 'retry-drops-the-failed-row',
      lie: `Sends a batch that the engine refused again without its last ${item}, and reports all of it as stored.`,
      again: (items) => items.slice(0, -1),
      told: (outcomes) => [...outcomes, ...madeUp(1)],
    }),
  ];
}

/** The words of an engine that refuses a commit. */
const refusedCommit = /^commit refused|FOREIGN KEY constraint failed|^refused by the store/;

/** SQLSTATEs of a statement, and of a wait for a lock, that took too long. */
const timeOuts = new Set(['57014', '55P03']);

/** A lie about a batch of which the engine refused a row: it is tried again, but not as it was. */
export function triedAgain<Item>(
  batching: Batching<Item>,
  m: {
    id: string;
    lie: string;
    again(items: readonly Item[]): readonly Item[];
    told(outcomes: readonly ReportedOutcome[], count: number): readonly ReportedOutcome[];
  },
): Mutant {
  const { id, lie, again, told } = m;
  return batchMutant(batching, {
    id,
    lie,
    target: transient,
    // Faults that are raised once, whatever for, tempt it.
    alsoKilledBy: [usable, commit, back, concurrent, atOnce],
    spoil: (honest, tools) => async (items, options) => {
      const copy = ordinaryCopy(batching, items);
      const reply = await ask(honest, items, options);
      if (copy === undefined || copy.length < 2 || !hasFailed(reply) || !isRowRefused(reply)) {
        return answer(reply);
      }
      const second = await ask(honest, again(copy), options);
      if (hasFailed(second)) return answer(reply);
      tools.lied();
      return told(answer(second), copy.length);
    },
  });
}

function codesOf(reply: Reply): string[] {
  return errorsOf(reply).flatMap((error) => ('code' in error ? [String(error.code)] : []));
}
