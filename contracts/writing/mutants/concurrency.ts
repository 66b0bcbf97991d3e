import { tokenIn } from '../../kernel/bodies.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, hasFailed, isRowRefused, withoutSignal } from './replies.ts';

const concurrent = 'concurrent-failure-is-isolated';

/** Milliseconds for which a batch beside the one that was refused is waited for: there may be none. */
const neighbourly = 500;
/** Milliseconds between two looks whether it has come to its end. */
const glance = 25;
/** Milliseconds between two looks whether any batch is still being written. */
const waits = 20;
/** As many connections as a pool has, unless it is told otherwise. */
const connections = 10;

/** Lies about batches that fail beside others. */
export function concurrencyMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    batchMutant(batching, {
      id: 'second-failure-is-forgotten',
      lie: `Stores a ${batching.item} of a batch that the engine refused, where another ${batching.item} of it was in the batch refused before.`,
      target: 'failures-at-once-leave-nothing',
      spoil(honest, tools) {
        let before = new Set<string>();
        return async (items, options) => {
          const copy = ordinaryCopy(batching, items);
          const reply = await ask(honest, copy ?? items, options);
          if (copy === undefined || !isRowRefused(reply)) return answer(reply);
          const bodies = copy.map((item) => JSON.stringify(batching.body(item)));
          const fresh = bodies.findIndex((body) => !before.has(body));
          const forgotten = bodies.some((body) => before.has(body)) ? copy[fresh] : undefined;
          before = new Set(bodies);
          if (forgotten && !hasFailed(await ask(honest, [forgotten], withoutSignal(options)))) tools.lied();
          return answer(reply);
        };
      },
    }),
    batchMutant(batching, {
      id: 'joins-the-neighbours-transaction',
      lie: 'Undoes, when its batch is refused, also what others have stored since it began.',
      target: concurrent,
      alsoKilledBy: ['transient-fault-ends-whole', 'commit-failure-is-reported'],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || copy.length < 2) return honest(items, options);
        const before = await tools.hand.snapshot();
        const reply = await ask(honest, copy, options);
        if (!hasFailed(reply) || !isRowRefused(reply)) return answer(reply);
        let now = before;
        for (let waited = 0; waited < neighbourly && isSame(before, now); waited += glance) {
          await new Promise((resolve) => tools.later(() => resolve(undefined), glance));
          now = await tools.hand.snapshot();
        }
        if (!isSame(before, now)) {
          await tools.hand.restore(before);
          tools.lied();
        }
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'many-share-a-transaction',
      lie: 'Removes, when the engine refuses one of more than ten batches that run at once, what the others have stored.',
      target: concurrent,
      only: 'a subject takes more than ten calls before the first is done',
      spoil: (honest, tools) => {
        let running = 0;
        // Since none ran.
        let begun = 0;
        let stored: string[] = [];
        return async (items, options) => {
          running += 1;
          begun += 1;
          const reply = await ask(honest, items, options);
          running -= 1;
          if (!hasFailed(reply)) stored.push(...items.flatMap((item) => tokenIn(batching.body(item)) ?? []));
          if (begun > connections && isRowRefused(reply)) {
            const others = stored;
            // Who is still writing is in the way of a hand that edits.
            while (running > 0) await new Promise<void>((resolve) => tools.later(() => resolve(), waits));
            await tools.hand.edit((row) => {
              const text = JSON.stringify(row, exact);
              if (!others.some((token) => text.includes(token))) return undefined;
              tools.lied();
              return 'remove';
            });
          }
          if (running === 0) {
            begun = 0;
            stored = [];
          }
          return answer(reply);
        };
      },
    }),
  ];
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a, exact) === JSON.stringify(b, exact);
}

/** Lets JSON hold what it has no type for. */
function exact(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
