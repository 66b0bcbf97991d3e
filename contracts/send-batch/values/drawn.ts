import { mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { Bench } from '../../kernel/guard.ts';
import type { StoredItem } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import { isInstant } from '../rows.ts';
import { sendWrites as w } from '../writes.ts';

/** Single sends that are compared. */
const sends = 4;

/**
 * Stored fields that no message sets and that are different in every single send: what the backend, or the engine,
 * draws for each message. Instants are not among them, since messages may well be stored at one time.
 */
export async function drawnFields(bench: Bench): Promise<string[]> {
  return premise('single sends', async () => {
    const rig = await bench.open();
    const batch = messages(bench, sends, 'bare');
    for (const message of batch) mustSucceed(w, [message], await w.writeOne(rig, message), 'a single send');
    const rows = await mustHaveStoredAll(bench, w, rig, batch, 'single sends');
    return Object.keys(rows[0]!.fields).filter((field) => isDrawn(field, rows));
  });
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
