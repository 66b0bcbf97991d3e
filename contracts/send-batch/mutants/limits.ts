import type { Mutant } from '../../kernel/mutant.ts';
import { parametersOf } from './large.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, hasFailed, isRowRefused, storeStranger } from './spoil.ts';

/** Parameters that a row may have. */
const widths = Array.from({ length: 20 }, (_, i) => 4 + i);

/** Lies about batches near a limit, and about what is written beside the messages. */
export const limitMutants: Mutant[] = [
  batchMutant({
    id: 'row-that-tips-the-limit-is-lost',
    lie: 'Loses the row that does not fit into a statement any more, where one row is over.',
    target: 'send-batch/past-the-limits',
    only: 'a statement has more parameters, the more items a batch has',
    cannot: (_, { maxParams }) => (maxParams === undefined ? 'a statement has no parameters' : undefined),
    spoil: (honest, tools) => async (messages, options) => {
      const limit = parametersOf(tools.site.provider);
      const oneIsOver = widths.some((width) => messages.length === Math.floor(limit / width) + 1);
      if (!oneIsOver) return honest(messages, options);
      const reply = await ask(honest, messages.slice(0, -1), options);
      if (hasFailed(reply)) return answer(reply);
      tools.lied();
      return [...answer(reply), { stored: 1_000_000_007 }];
    },
  }),
  batchMutant({
    id: 'no-status-row-for-the-last',
    lie: 'Leaves the last message of a batch without its status row.',
    target: 'send-batch/status-row-per-message',
    needs: ['statusTable'],
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (messages.length < 2 || hasFailed(reply)) return answer(reply);
      const last = answer(reply).at(-1)!;
      const id = 'stored' in last ? String(last.stored) : '';
      await tools.hand.edit((row) => {
        if (!('status' in row) || String(row.messageId) !== id) return;
        row.messageId = -1;
        tools.lied();
      });
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'status-row-outside',
    lie: 'Writes a status row through another connection, so that it is left behind when the engine refuses the batch.',
    target: 'send-batch/nothing-persists-after-failure',
    // What is put in place takes the place of a neighbour's rows, too.
    alsoKilledBy: ['send-batch/failures-at-once-leave-nothing', 'send-batch/concurrent-failure-is-isolated'],
    needs: ['statusTable'],
    spoil(honest, tools) {
      // While the engine refuses rows it would refuse this one: it is made before, and put in place when its time comes.
      let besides: unknown;
      tools.atOpen(async () => {
        const before = await tools.hand.snapshot();
        if (!(await storeStranger(honest))) return;
        await tools.hand.edit((row) => ('status' in row ? undefined : 'remove'));
        besides = await tools.hand.snapshot();
        await tools.hand.restore(before);
      });
      return async (messages, options) => {
        const copy = ordinaryCopy(messages);
        const reply = await ask(honest, messages, options);
        if (besides !== undefined && copy !== undefined && hasFailed(reply) && isRowRefused(reply)) {
          await tools.hand.restore(besides);
          tools.lied();
        }
        return answer(reply);
      };
    },
  }),
];
