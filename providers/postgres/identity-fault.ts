import type { ClientBase } from 'pg';
import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { codeOf, isMissing, messageOf } from './errors.ts';
import { qualified, quoteText } from './sql.ts';

interface Sequence {
  /** Qualified and quoted. */
  name: string;
  step: string;
  last: string;
  called: boolean;
}

/** Makes the sequence behind a table's identity go on from another value in other steps. */
export async function armIdentity(
  place: Place,
  { table, start, step }: Extract<Fault, { at: 'identity' }>,
): Promise<ArmedFault> {
  const before = await place.run((client) => sequenceOf(client, place.schema, table));
  if (!before) throw new NotApplicable('engine', `no column of ${table} takes its values from a sequence`);
  const alter = `ALTER SEQUENCE ${before.name} INCREMENT BY ${step} RESTART WITH ${start}`;
  await place
    .run((client) => client.query(alter))
    .catch((cause: unknown) => {
      // A narrower type of ids ends before the start that was asked for.
      if (codeOf(cause) === '22023') throw new NotApplicable('engine', `${table}: ${messageOf(cause)}`);
      throw cause;
    });
  return armedFault({
    nonce: newNonce(),
    count: () =>
      place.run(async (client) => {
        const now = await sequenceOf(client, place.schema, table);
        const drawn = now?.called ? Number((BigInt(now.last) - start) / BigInt(step)) + 1 : 0;
        return { count: drawn, rowsBefore: 0, raised: 0 };
      }),
    remove: () => place.run((client) => putBack(client, before)),
  });
}

/** The sequence that an identity, a serial column or a plain default of the table draws from. */
async function sequenceOf(client: ClientBase, schema: string, table: string): Promise<Sequence | undefined> {
  const { rows } = await client.query<{ name: string; step: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name, s.seqincrement::text AS step
     FROM pg_depend d
     LEFT JOIN pg_attrdef a ON d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
     JOIN pg_sequence s ON s.seqrelid = CASE WHEN a.oid IS NULL THEN d.objid ELSE d.refobjid END
     JOIN pg_class c ON c.oid = s.seqrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE to_regclass(${quoteText(qualified(schema, table))}) = CASE WHEN a.oid IS NULL THEN d.refobjid ELSE a.adrelid END
     ORDER BY c.oid LIMIT 1`,
  );
  const [found] = rows;
  if (!found) return undefined;
  const state = await client.query<{ last: string; called: boolean }>(
    `SELECT last_value::text AS last, is_called AS called FROM ${found.name}`,
  );
  return { ...found, ...state.rows[0]! };
}

async function putBack(client: ClientBase, { name, step, last, called }: Sequence): Promise<void> {
  try {
    await client.query(
      `ALTER SEQUENCE ${name} INCREMENT BY ${step}; SELECT setval(${quoteText(name)}, ${last}, ${called})`,
    );
  } catch (cause) {
    // The sequence went with its table.
    if (!isMissing(cause)) throw cause;
  }
}
