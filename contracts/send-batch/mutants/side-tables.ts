import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import type { SendBatchPort } from '../port.ts';

/** Lies about what stands beside the messages. */
export const sideTableMutants: Mutant[] = [
  mutant<SendBatchPort>({
    id: 'side-tables-start-afresh',
    lie: 'Deletes, when it opens, the headers and statuses of messages that are stored, and keeps the messages.',
    target: 'send-batch/acknowledged-survives-crash',
    alsoKilledBy: ['send-batch/acknowledged-survives-reopen'],
    wrap(subject, tools) {
      tools.atOpen(() =>
        tools.hand.edit((row) => {
          if (!isBesideAMessage(row)) return undefined;
          tools.lied();
          return 'remove';
        }),
      );
      return passedThrough(subject);
    },
  }),
];

/** Whether a row has no body, and names the message that it belongs to. */
function isBesideAMessage(row: Record<string, unknown>): boolean {
  const columns = Object.keys(row);
  return !columns.includes('body') && columns.some((column) => /^message_?id$/i.test(column));
}
