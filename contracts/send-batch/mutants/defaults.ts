import type { Mutant, MutantTools } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message } from '../port.ts';
import { optionsOf, ordinaryCopy } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

type Row = Record<string, unknown>;

/** Lies about columns that the messages do not speak of. */
export const defaultMutants: Mutant[] = [
  batchMutant({
    id: 'batch-leaves-a-default-null',
    lie: 'Leaves a column that is no option (such as a counter of attempts) empty, where a single send fills it in.',
    target: 'send-batch/batch-equals-singles',
    // The column is emptied after the commit, which a reader may see.
    alsoKilledBy: [
      'send-batch/concurrent-batches-keep-their-own-ids',
      'send-batch/explicit-falsy-is-kept',
      'send-batch/no-partial-visibility',
    ],
    spoil: (honest, tools) => async (messages, options) => {
      // The caller's objects may change while the hand is at work.
      const copy = ordinaryCopy(messages);
      if (copy === undefined) return honest(messages, options);
      const { edit } = tools.hand;
      const sent = valuesOf(copy);
      const known = new Set<string>();
      await edit((row, table) => {
        known.add(print(row, table));
      });
      const reply = await ask(honest, copy, options);
      if (!hasFailed(reply) && copy.length > 0) await emptyDefault(edit, known, sent, tools);
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'one-default-for-all',
    lie: 'Draws a value that is to be drawn for each message (a token, a secret) once for a whole batch.',
    target: 'send-batch/defaults-are-per-row',
    only: 'a column of each row is drawn anew, as a UUID is',
    // Told of messages that set nothing: others may be looked at while they are written.
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || copy.length < 2 || copy.some((message) => optionsOf(message).length > 0))
        return honest(messages, options);
      const { edit } = tools.hand;
      const known = new Set<string>();
      await edit((row, table) => {
        known.add(print(row, table));
      });
      const reply = await ask(honest, copy, options);
      if (!hasFailed(reply)) await shareDrawn(edit, known, new Set(answer(reply).map(idOf)), tools);
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
  const rows = await addedRows(edit, known);
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

/** Gives every new row what was drawn for the first one; ids stay. */
async function shareDrawn(
  edit: Edit,
  known: ReadonlySet<string>,
  ids: ReadonlySet<string>,
  tools: MutantTools,
): Promise<void> {
  for (const [table, added] of await addedRows(edit, known)) {
    const [first] = added;
    const columns = Object.keys(first!).filter((name) =>
      added.every((row) => isDrawn(row[name]) && !ids.has(String(row[name]))),
    );
    if (added.length < 2 || columns.length === 0) continue;
    await edit((row, of) => {
      if (of === table && !known.has(print(row, of))) for (const column of columns) row[column] = first![column];
    });
    tools.lied();
  }
}

/** Whether a value looks drawn for its row, as a UUID does. */
function isDrawn(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f-]{32,}$/i.test(value);
}

/** Copies of the rows that are new, by table. */
async function addedRows(edit: Edit, known: ReadonlySet<string>): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>();
  await edit((row, table) => {
    if (known.has(print(row, table))) return;
    const added = rows.get(table);
    if (added) added.push({ ...row });
    else rows.set(table, [{ ...row }]);
  });
  return rows;
}

function idOf(outcome: ReportedOutcome): string {
  return 'stored' in outcome ? String(outcome.stored) : '';
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
