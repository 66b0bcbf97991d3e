import { hasKey, skipHeldKeys } from '../dedupe-keys.ts';
import type { Answer } from '../outcomes-by-slot.ts';
import { columns } from './columns.ts';
import { sendBatchBy } from './sender.ts';

/**
 * A function on the server takes an array for each column and answers for every message.
 *
 * For a store that is written from several languages, or that has more to do for a batch than one statement can say:
 * whatever the function does is one round trip and one transaction. Here it also writes a status row for each message,
 * and looks up who holds the keys. It relies on the function being there in the version that the caller knows, and on
 * its check that every message was answered for.
 */
export const procedure = sendBatchBy(
  {
    async insert(client, rows) {
      const name = rows.some(hasKey) ? 'send_keyed_messages' : 'send_messages';
      const answered = await client.query<Answer>({
        name,
        text: `SELECT * FROM ${name}($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS answer (id, slot, duplicate, differs)`,
        values: columns(rows),
      });
      return answered.rows;
    },
    commitsItself: () => true,
    insertsSingles: true,
  },
  { chunk: 'none' },
  {
    extras: ['statusTable'],
    statuses: 'SELECT message_id AS "messageId", status FROM message_statuses',
    schema: `
      CREATE TABLE IF NOT EXISTS message_statuses (message_id bigint PRIMARY KEY, status text NOT NULL);
      ${sendMessages('send_messages', '')}
      ${sendMessages('send_keyed_messages', skipHeldKeys)}
    `,
  },
);

/** The function; being ready for a conflict costs every row a tenth of its time, and so there are two of it. */
function sendMessages(name: string, onConflict: string): string {
  return `
  CREATE OR REPLACE FUNCTION ${name}(
    slots integer[], bodies json[], destinations text[], priorities bigint[], routes text[], correlation_ids text[],
    keys text[], delays float8[], expirations float8[], headers json[]
  ) RETURNS TABLE (answer_id bigint, answer_slot integer, is_duplicate boolean, has_other_body boolean) LANGUAGE plpgsql AS $$
  DECLARE
    new_ids bigint[];
    new_slots integer[];
    answered integer;
    missing integer := cardinality(slots);
  BEGIN
    WITH sent AS (
      SELECT *
      FROM unnest(slots, bodies, destinations, priorities, routes, correlation_ids, keys, delays, expirations, headers)
        WITH ORDINALITY
        AS sent (slot, body, destination, priority, route, correlation_id, dedupe_key, delay, expiration, headers, ordinal)
    ), inserted AS (
      INSERT INTO messages (slot, body, destination, priority, route, correlation_id, dedupe_key, due_at, expires_at)
      SELECT slot, body, destination, priority, route, correlation_id, dedupe_key,
             now() + delay * interval '1 millisecond', now() + expiration * interval '1 millisecond'
      FROM sent
      ORDER BY ordinal
      ${onConflict}
      RETURNING id, slot
    ), with_status AS (
      INSERT INTO message_statuses (message_id, status) SELECT id, 'waiting' FROM inserted
    ), with_headers AS (
      INSERT INTO message_headers (message_id, headers)
      SELECT inserted.id, sent.headers
      FROM inserted JOIN sent USING (slot)
      WHERE sent.headers IS NOT NULL
    )
    SELECT array_agg(id), array_agg(slot) INTO new_ids, new_slots FROM inserted;

    RETURN QUERY SELECT *, false, false FROM unnest(new_ids, new_slots);
    GET DIAGNOSTICS answered = ROW_COUNT;
    missing := missing - answered;

    -- A statement of its own sees what was committed while the insert waited for it.
    IF missing > 0 THEN
      RETURN QUERY
        SELECT holder.id, sent.slot, true, holder.body::text <> sent.body::text
        FROM unnest(slots, keys, bodies) AS sent (slot, key, body)
        JOIN messages holder ON holder.dedupe_key = sent.key
        WHERE NOT EXISTS (SELECT FROM unnest(new_slots) AS stored (slot) WHERE stored.slot = sent.slot);
      GET DIAGNOSTICS answered = ROW_COUNT;
      missing := missing - answered;
    END IF;

    -- The engine left out a row; or, and that may be tried again, the row that held a key has gone meanwhile.
    IF missing > 0 THEN
      RAISE EXCEPTION '% of % messages were not inserted', missing, cardinality(slots)
        USING ERRCODE = '${onConflict === '' ? 'raise_exception' : 'serialization_failure'}';
    END IF;
  END $$;`;
}
