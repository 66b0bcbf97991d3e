import type { Client } from 'pg';
import type { ArmedFault } from '../../contracts/kernel/engine.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { tablesOf } from './catalog.ts';
import { orLeftLocked } from './connections.ts';
import { quoteName } from './sql.ts';
import { Waits } from './waits.ts';

/** SQLSTATEs of a statement that waited too long: lock_timeout, and statement_timeout or a cancel request. */
const endedByWaiting = new Set(['55P03', '57014']);

/**
 * Holds, in a session of its own, a lock on every table that lets others read but not write.
 *
 * Springs once for each statement that is seen to wait for it. Whether the waiting ends in an error is up to the
 * subject's own time-outs; those errors are counted on the wire.
 */
export async function armLock(place: Place): Promise<ArmedFault> {
  const holder = await place.connections.open(place.schema);
  let recording = place.tap.record();
  let raised = 0;
  try {
    await takeLock(place, holder);
    const waits = await Waits.for(place, holder);
    return armedFault({
      nonce: newNonce(),
      waiting: (sessions) => waits.holds(sessions),
      count: async () => {
        await waits.look();
        const { statements } = await recording.stop();
        recording = place.tap.record();
        raised += statements.filter(({ sqlstate }) => endedByWaiting.has(sqlstate ?? '')).length;
        return { count: waits.statements, rowsBefore: 0, raised };
      },
      remove: async () => {
        await holder.end();
        await Promise.all([waits.stop(), recording.stop()]);
      },
    });
  } catch (cause) {
    await holder.end();
    throw cause;
  }
}

async function takeLock(place: Place, holder: Client): Promise<void> {
  const tables = await place.run((client) => tablesOf(client, place.schema));
  await holder.query('BEGIN');
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => quoteName(name)).join(', ');
  await orLeftLocked(holder.query(`LOCK TABLE ${names} IN EXCLUSIVE MODE`));
}
