import { isDeepStrictEqual } from 'node:util';
import type { Edit, Mutant } from '../../../kernel/mutant.ts';
import { answer, ask, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message } from '../../port.ts';
import { batchMutant } from '../spoil.ts';
import { isStatusOf } from '../status-rows.ts';
import { idOf, onlySkipped, type Repeats, SentKeys } from './sent.ts';

const named = 'send-batch/duplicates-are-named';

/** Lies about the row that has a key, when a message with this key is skipped. */
export const touchedRowMutants: Mutant[] = [
  touching({
    id: 'duplicate-changes-the-route',
    lie: 'Gives the row that has a key the route of the message that is told as a duplicate of it.',
    target: named,
    needs: ['route'],
    slots: ({ again }) => again,
    change: routeOf,
  }),
  touching({
    id: 'twin-changes-the-route',
    lie: 'Gives the first of several messages with one key the route of the last.',
    target: 'send-batch/duplicate-inside-the-batch',
    needs: ['route'],
    slots: ({ twins }) => twins,
    change: routeOf,
  }),
  touching({
    id: 'duplicate-changes-the-status',
    lie: 'Notes in the status row of the message that has a key that another came with the same key.',
    target: named,
    needs: ['statusTable'],
    slots: ({ again }) => again,
    change: (_message, _holder, id) => (row) => {
      if (isStatusOf(row, id)) row.status = 'sent again';
    },
  }),
];

/** A change of the row that holds the key, where the two messages have routes of their own. */
function routeOf({ dedupeKey, route }: Message, holder: Message): Edit | undefined {
  if (route === undefined || holder.route === undefined || route === holder.route) return undefined;
  return (row) => {
    if (!Object.values(row).includes(dedupeKey)) return;
    for (const column of Object.keys(row)) if (row[column] === holder.route) row[column] = route;
  };
}

/** A lie about a batch whose outcomes are those of the subject. */
function touching(
  m: Pick<Mutant, 'id' | 'lie' | 'target' | 'needs'> & {
    slots(repeats: Repeats): number[];
    /** What is done to the row of the message that has the key, and to what else belongs to it. */
    change(message: Message, holder: Message, id: string): Edit | undefined;
  },
): Mutant {
  const { slots, change, ...described } = m;
  return batchMutant({
    ...described,
    cannot: onlySkipped,
    spoil(honest, tools) {
      const keys = new SentKeys();
      return async (messages, options) => {
        if (messages.every(({ dedupeKey }) => dedupeKey === undefined)) return honest(messages, options);
        const copy = structuredClone([...messages]);
        const repeats = keys.repeats(copy);
        const reply = await ask(honest, messages, options);
        if (hasFailed(reply)) return answer(reply);
        keys.note(copy);
        const outcomes = answer(reply);
        for (const slot of slots(repeats)) {
          const edit = change(copy[slot]!, repeats.first(slot)!, String(idOf(outcomes[slot])));
          if (edit === undefined) continue;
          await tools.hand.edit((row, table) => {
            const before = { ...row };
            edit(row, table);
            if (!isDeepStrictEqual(row, before)) tools.lied();
          });
        }
        return outcomes;
      };
    },
  });
}
