import { columns } from './columns.ts';
import { sendBatchBy } from './sender.ts';

/**
 * A function on the server takes an array for each column and returns the ids in their order.
 *
 * For a store that is written from several languages, or that has more to do for a batch than one statement can say:
 * whatever the function does is one round trip and one transaction. It relies on the function being there in the version
 * that the caller knows, and on its check that the insert kept every row.
 */
export const procedure = sendBatchBy(
  async (database, rows) => {
    const [answer] = await database.statement({
      name: 'send-messages',
      text: 'SELECT send_messages($1, $2, $3, $4, $5, $6, $7, $8) AS ids',
      values: columns(rows),
    });
    return answer!.ids as string[];
  },
  { chunk: 'none' },
  `
  CREATE OR REPLACE FUNCTION send_messages(
    bodies json[], destinations text[], priorities bigint[], routes text[], correlation_ids text[],
    delays float8[], expirations float8[], headers json[]
  ) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    ids bigint[];
  BEGIN
    WITH inserted AS (
      INSERT INTO messages (slot, body, destination, priority, route, correlation_id, due_at, expires_at)
      SELECT ordinal - 1, body, destination, priority, route, correlation_id,
             now() + delay * interval '1 millisecond', now() + expiration * interval '1 millisecond'
      FROM unnest(bodies, destinations, priorities, routes, correlation_ids, delays, expirations)
        WITH ORDINALITY AS sent (body, destination, priority, route, correlation_id, delay, expiration, ordinal)
      RETURNING id, slot
    )
    SELECT array_agg(id ORDER BY slot) INTO ids FROM inserted;

    -- A row that went missing would move every later id to another message.
    IF cardinality(ids) IS DISTINCT FROM cardinality(bodies) THEN
      RAISE EXCEPTION 'of % messages % were inserted', cardinality(bodies), coalesce(cardinality(ids), 0);
    END IF;

    INSERT INTO message_headers (message_id, headers)
    SELECT sent.id, sent.headers FROM unnest(ids, headers) AS sent (id, headers) WHERE sent.headers IS NOT NULL;
    RETURN ids;
  END $$;
  `,
);
