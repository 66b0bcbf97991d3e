import type { Client } from 'pg';
import type { OtherTransaction } from '../../contracts/kernel/engine.ts';
import type { Place } from './armed-fault.ts';
import { orLeftLocked } from './connections.ts';
import { Waits } from './waits.ts';

/** Begins a transaction in a session of the judge's own, which goes around the tap. */
export async function beginOther(place: Place): Promise<OtherTransaction> {
  const client = await place.connections.open(place.schema);
  try {
    await client.query('BEGIN');
    return otherTransaction(client, await Waits.for(place, client));
  } catch (cause) {
    await client.end();
    throw cause;
  }
}

function otherTransaction(client: Client, waits: Waits): OtherTransaction {
  let ended = false;
  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    if (ended) return;
    ended = true;
    try {
      await client.query(how);
    } finally {
      await client.end();
      await waits.stop();
    }
  };
  return {
    run: async (statement, parameters = []) =>
      (await orLeftLocked(client.query(statement, [...parameters]))).rowCount ?? 0,
    waiting: (sessions) => waits.holds(sessions),
    commit: () => end('COMMIT'),
    rollback: () => end('ROLLBACK'),
  };
}
