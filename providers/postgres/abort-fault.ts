import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { AbortKind, ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { holding } from '../wire/index.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { tablesOf } from './catalog.ts';
import { isMissing } from './errors.ts';
import { qualified, quoteName } from './sql.ts';
import { sequence, triggerFunction } from './traps.ts';

/** The codes of the errors by which each is known on the wire. */
const sqlstates: Record<AbortKind, string> = {
  'statement-timeout': '57014',
  'lock-timeout': '55P03',
  'idle-timeout': '25P03',
  terminated: '57P01',
};

/** Milliseconds after which the time-outs fire that are set here. */
const soon = 20;

/** Milliseconds after which a session that the server has not ended is not kept idle any more. */
const longEnough = 2000;

/** Names of what one fault consists of. */
interface Trap {
  trigger: string;
  /** Qualified. */
  fires: string;
  springs: string;
  /** Takes the process of the session that it has fired in. */
  process: string;
  /** Key of an advisory lock that the judge holds. */
  key: bigint;
}

/** What the trigger does, in PL/pgSQL, in the subject's own session. */
const deeds: Record<AbortKind, (trap: Trap) => string> = {
  // A time-out of the running statement cannot be set any more; its end is the same as by a cancellation.
  'statement-timeout': () => 'PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(10)',
  'lock-timeout': ({ key }) => `PERFORM pg_advisory_xact_lock(${key})`,
  'idle-timeout': () => `PERFORM set_config('idle_in_transaction_session_timeout', '${soon}', true)`,
  terminated: () => 'PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10)',
};

/**
 * Sets a trap on every table: it fires once, at the end of the first statement that has changed a row, when the server
 * had accepted all that the statement wrote. Springs are counted by the errors that pass the tap.
 */
export async function armAbort(place: Place, { by }: Extract<Fault, { at: 'abort' }>): Promise<ArmedFault> {
  const nonce = newNonce();
  const trap: Trap = {
    trigger: quoteName(nonce),
    fires: qualified(place.schema, `${nonce}_fires`),
    springs: qualified(place.schema, `${nonce}_springs`),
    process: qualified(place.schema, `${nonce}_process`),
    key: BigInt(`0x${nonce.slice(-12)}`),
  };
  const holder = by === 'lock-timeout' ? await holdLock(place, trap) : undefined;
  const hearing = place.tap.hear(sqlstates[by]);
  const stop = async (): Promise<void> => {
    hearing.stop();
    await holder?.end();
  };
  try {
    await setTrap(place, trap, by);
  } catch (cause) {
    await stop();
    throw cause;
  }
  const idle = by === 'idle-timeout' ? keepIdle(place, trap) : undefined;
  return armedFault({
    nonce,
    count: async () => ({ count: hearing.count, rowsBefore: 0, raised: hearing.count }),
    remove: async () => {
      idle?.();
      await removeTrap(place, trap);
      await stop();
    },
  });
}

async function holdLock(place: Place, { key }: Trap): Promise<Client> {
  const holder = await place.connections.open(place.schema);
  await holder.query(`SELECT pg_advisory_lock(${key})`);
  return holder;
}

async function setTrap(place: Place, trap: Trap, by: AbortKind): Promise<void> {
  await place.run(async (client) => {
    const body = `
      IF nextval(${sequence(trap.springs)}) = 1 THEN
        PERFORM setval(${sequence(trap.process)}, pg_backend_pid());
        ${deeds[by](trap)};
      END IF;`;
    const triggers = (await tablesOf(client, place.schema)).map(
      ({ name }) => `CREATE TRIGGER ${trap.trigger} AFTER INSERT OR UPDATE OR DELETE ON ${qualified(place.schema, name)}
                     FOR EACH ROW EXECUTE FUNCTION ${trap.fires}();`,
    );
    await client.query(`
      BEGIN; CREATE SEQUENCE ${trap.springs}; CREATE SEQUENCE ${trap.process};
      ${triggerFunction(trap.fires, body, `SET lock_timeout = ${soon}`)}
      ${triggers.join('\n')}
      COMMIT`);
  });
}

/** Holds what the session that the trap has fired in says next, until the server has had enough of waiting for it. */
function keepIdle(place: Place, { process }: Trap): () => void {
  const released = Promise.withResolvers<void>();
  const armed = place.tap.interfere(
    { inside: true },
    {
      ...holding('kept idle', Promise.race([released.promise, pause(longEnough, undefined, { ref: false })])),
      concerns: async (victim) => {
        try {
          const { rows } = await place.run((client) =>
            client.query<{ pid: number }>(`SELECT last_value::int AS pid FROM ${process} WHERE is_called`),
          );
          return rows[0]?.pid === victim.process;
        } catch (error) {
          // A trap that was removed meanwhile concerns nobody.
          if (isMissing(error)) return false;
          throw error;
        }
      },
    },
  );
  return () => {
    armed.disarm();
    released.resolve();
  };
}

async function removeTrap(place: Place, { fires, springs, process }: Trap): Promise<void> {
  await place.run((client) =>
    client.query(`DROP FUNCTION IF EXISTS ${fires}() CASCADE; DROP SEQUENCE IF EXISTS ${springs}, ${process}`),
  );
}
