import { mustHaveStoredAll, mustSucceed, premise } from '../kernel/checks.ts';
import type { Bench } from '../kernel/guard.ts';
import { isInstant } from '../kernel/rows.ts';
import type { Difference, StoredItem, Writes } from '../kernel/writes.ts';
import { messages } from './messages.ts';
import type { Message } from './port.ts';

/** Single sends that are compared. */
const sends = 4;

/**
 * Stored fields that no message sets and that are different in every single send: what the backend, or the engine,
 * draws for each message. Instants are not among them, since messages may well be stored at one time.
 */
export async function drawnFields(bench: Bench, w: Writes<Message>): Promise<string[]> {
  return premise('single sends', async () => {
    const rig = await bench.open();
    const batch = messages(bench, sends, 'bare');
    for (const message of batch) mustSucceed(w, [message], await w.writeOne(rig, message), 'a single send');
    const rows = await mustHaveStoredAll(bench, w, rig, batch, 'single sends');
    return Object.keys(rows[0]!.fields).filter((field) => isDrawn(field, rows));
  });
}

/** The differences, slot by slot, but those of drawn fields: of a drawn value any will do, if there is one. */
export async function exceptDrawn(
  bench: Bench,
  w: Writes<Message>,
  differences: Difference[][],
): Promise<Difference[][]> {
  if (differences.every((list) => list.length === 0)) return differences;
  const drawn = await drawnFields(bench, w);
  const matters = ({ field, expected, found }: Difference) =>
    !drawn.includes(field) || (expected ?? null) === null || (found ?? null) === null;
  return differences.map((list) => list.filter(matters));
}

function isDrawn(field: string, rows: readonly StoredItem[]): boolean {
  if (field === 'body' || isInstant(field)) return false;
  return distinctValues(field, rows).size === rows.length && rows.every(({ fields }) => fields[field] !== null);
}

/** The values of a field, each once. */
export function distinctValues(field: string, rows: readonly StoredItem[]): Set<string> {
  return new Set(
    rows.map(({ fields }) => JSON.stringify(fields[field], (_key, v) => (typeof v === 'bigint' ? `${v}n` : v))),
  );
}
