import type { Mutant } from '../../kernel/mutant.ts';
import { answer, ask, hasFailed, isRowRefused } from '../../writing/mutants/replies.ts';
import { storeStranger } from './batches.ts';
import { ordinaryCopy } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

/** Lies about what is written beside the messages. */
export const statusRowMutants: Mutant[] = [
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
        if (!isStatusOf(row, id)) return;
        row[messageColumn(row)] = -1;
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

/** Whether it is the status row of the message with this id. */
export function isStatusOf(row: Record<string, unknown>, id: string): boolean {
  return 'status' in row && String(row[messageColumn(row)]) === id;
}

/** The column that names the message, as stores in a process and as those that know SQL spell it. */
function messageColumn(row: Record<string, unknown>): string {
  return 'message_id' in row ? 'message_id' : 'messageId';
}
