import type { DatabaseSync } from 'node:sqlite';
import type { Fault, RowFaultKind } from '../../contracts/kernel/engine.ts';
import { tablesOf } from './content.ts';
import { gateFunction, lookFunction } from './database.ts';
import { ours, quoteName, quoteText } from './sql.ts';

/** Faults that are raised by a trigger in the schema. */
export type TrapFault = Extract<Fault, { at: 'row' | 'poison' | 'commit' }>;

export function isTrap(fault: Fault): fault is TrapFault {
  return fault.at === 'row' || fault.at === 'poison' || fault.at === 'commit';
}

/** By kind: the helper table's only column, and a value that violates its constraint. */
const violations: Partial<Record<RowFaultKind, (helper: string) => { column: string; value: string }>> = {
  unique: () => ({ column: 'a UNIQUE', value: '1' }),
  'not-null': () => ({ column: 'a NOT NULL', value: 'NULL' }),
  check: (helper) => ({ column: `a CONSTRAINT ${helper} CHECK (a > 1)`, value: '1' }),
};

/** How a row can be made to fail. */
export const rowFaults: readonly RowFaultKind[] = ['trigger', 'unique', 'not-null', 'check'];

/**
 * Sets a trap that springs when the gate function says so.
 *
 * The helper table bears the nonce as its name, so that the engine's own message carries it. A statement of the
 * INSERT OR IGNORE family swallows a violation in a trigger, hence the RAISE that follows it.
 */
export function setTrap(db: DatabaseSync, nonce: string, fault: TrapFault): void {
  const helper = quoteName(nonce);
  const raise = `SELECT RAISE(ABORT, ${quoteText(`refused by ${nonce}`)});`;
  const holds = fault.at === 'poison' ? rowHolds(db, fault) : '0';
  const event = fault.at === 'row' && fault.on === 'update' ? 'UPDATE' : 'INSERT';
  const create = (when: 'BEFORE' | 'AFTER', body: string): void =>
    db.exec(
      `CREATE TRIGGER ${helper} ${when} ${event} ON ${quoteName(fault.table)}
       WHEN ${gateFunction}(${quoteText(nonce)}, ${holds}) BEGIN ${body} END`,
    );
  if (fault.at === 'commit') {
    db.exec(`CREATE TABLE ${helper} (id INTEGER PRIMARY KEY,
      parent INTEGER REFERENCES ${helper} (id) DEFERRABLE INITIALLY DEFERRED)`);
    create('AFTER', `INSERT INTO ${helper} (parent) VALUES (-1);`);
    return;
  }
  const violation = fault.at === 'row' ? violations[fault.kind]?.(helper) : undefined;
  if (!violation) {
    create('BEFORE', raise);
    return;
  }
  db.exec(`CREATE TABLE ${helper} (${violation.column})`);
  if ('kind' in fault && fault.kind === 'unique') db.exec(`INSERT INTO ${helper} VALUES (1)`);
  create('BEFORE', `INSERT INTO ${helper} VALUES (${violation.value}); ${raise}`);
}

/** Whether any column of the row that is inserted holds the text, as text or as its bytes. */
function rowHolds(db: DatabaseSync, { table, text }: Extract<Fault, { at: 'poison' }>): string {
  const columns = db.prepare(`SELECT name FROM pragma_table_xinfo(${quoteText(table)})`).all();
  const values = columns.map(({ name }) => `coalesce(CAST(NEW.${quoteName(String(name))} AS TEXT), '')`);
  return `instr(${values.join(" || ' ' || ")}, ${quoteText(text)}) > 0`;
}

/** Removes a trap; one that is not there, or never was, is no error. */
export function removeTrap(db: DatabaseSync, nonce: string): void {
  db.exec(`DROP TRIGGER IF EXISTS ${quoteName(nonce)}`);
  db.exec(`DROP TABLE IF EXISTS ${quoteName(nonce)}`);
}

const lookPrefix = `${ours}look_`;

/** Lets a reader look after every row that a statement changes. */
export function setLooks(db: DatabaseSync): void {
  for (const [t, { name }] of tablesOf(db).entries()) {
    for (const event of ['INSERT', 'UPDATE', 'DELETE']) {
      db.exec(
        `CREATE TRIGGER IF NOT EXISTS ${lookPrefix}${t}_${event} AFTER ${event} ON ${quoteName(name)}
         BEGIN SELECT ${lookFunction}(); END`,
      );
    }
  }
}

export function removeLooks(db: DatabaseSync): void {
  const names = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '${lookPrefix}*'`)
    .all();
  for (const { name } of names) db.exec(`DROP TRIGGER IF EXISTS ${quoteName(String(name))}`);
}
