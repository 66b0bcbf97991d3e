import type { Mutant, MutantTools } from '../../kernel/mutant.ts';
import type { Message } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, hasFailed } from './spoil.ts';

type Row = Record<string, unknown>;

/** Lies about columns that the messages do not speak of. */
export const defaultMutants: Mutant[] = [
  batchMutant({
    id: 'batch-leaves-a-default-null',
    lie: 'Leaves a column that is no option (such as a counter of attempts) empty, where a single send fills it in.',
    target: 'send-batch/batch-equals-singles',
    // The column is emptied after the commit, which a reader may see.
    alsoKilledBy: ['send-batch/no-partial-visibility'],
    spoil: (honest, tools) => async (messages, options) => {
      // The caller's objects may change while the hand is at work.
      const copy = ordinaryCopy(messages);
      if (copy === undefined) return honest(messages, options);
      const { edit } = tools.hand;
      const sent = valuesOf(copy);
      const known = new Set<string>();
      await edit((row, table) => known.add(print(row, table)));
      const reply = await ask(honest, copy, options);
      if (!hasFailed(reply) && copy.length > 0) await emptyDefault(edit, known, sent, tools);
      return answer(reply);
    },
  }),
];

type Edit = MutantTools['hand']['edit'];

/** Empties in the new rows a column that is small, alike in all of them, and nothing that was sent. */
async function emptyDefault(
  edit: Edit,
  known: ReadonlySet<string>,
  sent: ReadonlySet<unknown>,
  tools: MutantTools,
): Promise<void> {
  const rows = new Map<string, Row[]>();
  await edit((row, table) => {
    if (known.has(print(row, table))) return;
    const added = rows.get(table);
    if (added) added.push({ ...row });
    else rows.set(table, [{ ...row }]);
  });
  const found = [...rows].flatMap(([table, added]) => {
    const column = Object.keys(added[0]!).find((name) => isDefault(name, added, sent));
    return column === undefined ? [] : [{ table, column }];
  })[0];
  if (found === undefined) return;
  // Where the column may not be empty, another value stands for it.
  for (const value of [null, 1]) {
    try {
      await edit((row, table) => {
        if (table === found.table && !known.has(print(row, table))) row[found.column] = value;
      });
      tools.lied();
      return;
    } catch {
      // The engine refuses this value; the next one may do.
    }
  }
}

function isDefault(column: string, rows: readonly Row[], sent: ReadonlySet<unknown>): boolean {
  const value = Number(rows[0]![column] ?? Number.NaN);
  return value === 0 && !sent.has(value) && rows.every((row) => Number(row[column]) === value) && rows.length > 1;
}

function valuesOf(messages: readonly Message[]): Set<unknown> {
  return new Set(messages.flatMap(({ body: _unread, ...message }) => Object.values(message)));
}

function print(row: Row, table: string): string {
  return JSON.stringify([table, row], (_key, value) => (typeof value === 'bigint' ? String(value) : value));
}
