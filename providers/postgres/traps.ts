import type { ClientBase } from 'pg';
import type { ArmedFault, Fault, RowFaultKind, Sprung } from '../../contracts/kernel/engine.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { ownSession } from './connections.ts';
import { isMissing } from './errors.ts';
import { qualified, quoteName, quoteText } from './sql.ts';

/** Faults that are raised by a trigger. */
export type TrapFault = Extract<Fault, { at: 'row' | 'poison' | 'commit' }>;

/** How the trap raises each kind, in PL/pgSQL; a violated helper bears the nonce, so that the engine's words carry it. */
const raises: Record<RowFaultKind, (trap: Trap) => string> = {
  trigger: ({ nonce }) => `RAISE EXCEPTION ${quoteText(`refused by ${nonce}`)}`,
  unique: ({ helper }) => `INSERT INTO ${helper} VALUES (1)`,
  'not-null': ({ helper }) => `INSERT INTO ${helper} VALUES (NULL)`,
  check: ({ helper }) => `INSERT INTO ${helper} VALUES (0)`,
  'too-long': ({ nonce }) =>
    `RAISE EXCEPTION ${quoteText(`value too long for type character varying(1) (${nonce})`)} USING ERRCODE = '22001'`,
  serialization: ({ nonce }) =>
    `RAISE EXCEPTION ${quoteText(`could not serialize access (${nonce})`)} USING ERRCODE = '40001'`,
  'session-ended': () => 'PERFORM pg_terminate_backend(pg_backend_pid())',
};

const helperColumns: Partial<Record<RowFaultKind, string>> = {
  unique: 'a int UNIQUE',
  'not-null': 'a int NOT NULL',
  check: 'a int CHECK (a > 0)',
};

export const rowFaults = Object.keys(raises) as RowFaultKind[];

/** Names of what one trap consists of. */
interface Trap {
  nonce: string;
  table: string;
  trigger: string;
  /** Qualified. */
  helper: string;
  rows: string;
  springs: string;
  counts: string;
  fires: string;
}

function trapOf(schema: string, nonce: string, table: string): Trap {
  return {
    nonce,
    table: qualified(schema, table),
    trigger: quoteName(nonce),
    helper: qualified(schema, nonce),
    rows: qualified(schema, `${nonce}_rows`),
    springs: qualified(schema, `${nonce}_springs`),
    counts: qualified(schema, `${nonce}_counts`),
    fires: qualified(schema, `${nonce}_fires`),
  };
}

/**
 * Sets a trap in the schema: triggers that count by sequences, whose values no rollback takes back.
 *
 * The functions run as the judge, so that the subject's role needs no right to what they use.
 */
export async function armTrap(place: Place, fault: TrapFault): Promise<ArmedFault> {
  const nonce = newNonce();
  const trap = trapOf(place.schema, nonce, fault.table);
  const sequences = `CREATE SEQUENCE ${trap.rows}; CREATE SEQUENCE ${trap.springs};`;
  const triggers = triggersOf(trap, fault);
  await place.run((client) => client.query(`BEGIN; ${sequences} ${triggers} COMMIT`));
  return armedFault({
    nonce,
    count: () => place.run((client) => sprungOf(client, trap, fault)),
    remove: () => place.run((client) => removeTrap(client, trap)),
  });
}

function triggersOf(trap: Trap, fault: TrapFault): string {
  if (fault.at === 'row') return rowTrap(trap, fault);
  return fault.at === 'poison' ? poisonTrap(trap, fault) : commitTrap(trap);
}

function rowTrap(trap: Trap, { kind, nth, once, on = 'insert' }: Extract<Fault, { at: 'row' }>): string {
  const columns = helperColumns[kind];
  const helper = columns ? `CREATE TABLE ${trap.helper} (${columns});` : '';
  const taken = kind === 'unique' ? `INSERT INTO ${trap.helper} VALUES (1);` : '';
  return `${helper} ${taken}
    ${triggerFunction(
      trap.fires,
      `IF nextval(${sequence(trap.rows)}) ${once ? '=' : '>='} ${nth} THEN
         PERFORM nextval(${sequence(trap.springs)});
         ${raises[kind](trap)};
       END IF;`,
    )}
    CREATE TRIGGER ${trap.trigger} BEFORE ${on.toUpperCase()} ON ${trap.table}
      FOR EACH ROW EXECUTE FUNCTION ${trap.fires}();`;
}

/** The rows before the first that is refused are counted, and no later ones. */
function poisonTrap(trap: Trap, { text }: Extract<Fault, { at: 'poison' }>): string {
  const hex = Buffer.from(text).toString('hex');
  return `
    ${triggerFunction(
      trap.fires,
      `IF position(${quoteText(text)} IN NEW::text) > 0 OR position(${quoteText(hex)} IN NEW::text) > 0 THEN
         PERFORM nextval(${sequence(trap.springs)});
         ${raises.trigger(trap)};
       ELSIF NOT (SELECT is_called FROM ${trap.springs}) THEN
         PERFORM nextval(${sequence(trap.rows)});
       END IF;`,
    )}
    CREATE TRIGGER ${trap.trigger} BEFORE INSERT ON ${trap.table} FOR EACH ROW EXECUTE FUNCTION ${trap.fires}();`;
}

function commitTrap(trap: Trap): string {
  return `
    ${triggerFunction(trap.counts, `PERFORM nextval(${sequence(trap.rows)});`)}
    ${triggerFunction(
      trap.fires,
      `IF nextval(${sequence(trap.springs)}) = 1 THEN
         RAISE EXCEPTION ${quoteText(`commit refused by ${trap.nonce}`)} USING ERRCODE = 'integrity_constraint_violation';
       END IF;`,
    )}
    CREATE TRIGGER ${trap.trigger.replace(/"$/, '_counts"')} BEFORE INSERT ON ${trap.table}
      FOR EACH ROW EXECUTE FUNCTION ${trap.counts}();
    CREATE CONSTRAINT TRIGGER ${trap.trigger} AFTER INSERT ON ${trap.table} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION ${trap.fires}();`;
}

/** A trigger function that lets the rows of the judge's own sessions pass; `settings` hold while it runs. */
export function triggerFunction(name: string, body: string, settings = ''): string {
  return `
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog ${settings} AS $trap$
    BEGIN
      IF current_setting('${ownSession}', true) IS DISTINCT FROM 'on' THEN
        ${body}
      END IF;
      RETURN NEW;
    END $trap$;`;
}

/** The sequence as functions such as `nextval` take it. */
export function sequence(name: string): string {
  return `${quoteText(name)}::regclass`;
}

/** What a trap has done so far. */
async function sprungOf(client: ClientBase, trap: Trap, fault: TrapFault): Promise<Sprung> {
  const counter = (name: string): string => `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM ${name})`;
  const { rows, springs } = await client
    .query<{ rows: number; springs: number }>(
      `SELECT ${counter(trap.rows)} AS rows, ${counter(trap.springs)} AS springs`,
    )
    .then((found) => found.rows[0]!)
    .catch((cause: unknown) => {
      // The trap went with the namespace.
      if (isMissing(cause)) return { rows: 0, springs: 0 };
      throw cause;
    });
  if (springs === 0) return { count: 0, rowsBefore: 0, raised: 0 };
  if (fault.at === 'row') return { count: springs, rowsBefore: fault.nth - 1, raised: springs };
  if (fault.at === 'poison') return { count: springs, rowsBefore: rows, raised: springs };
  // The sequence counts the rows of later commits, too, which pass.
  return { count: 1, rowsBefore: rows, raised: 1 };
}

/** Removes a trap; one that is not there, or whose table is gone, is no error. */
async function removeTrap(client: ClientBase, trap: Trap): Promise<void> {
  await client.query(`
    DROP FUNCTION IF EXISTS ${trap.fires}(), ${trap.counts}() CASCADE;
    DROP TABLE IF EXISTS ${trap.helper};
    DROP SEQUENCE IF EXISTS ${trap.rows}, ${trap.springs}`);
}
