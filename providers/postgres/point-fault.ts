import { setTimeout as pause } from 'node:timers/promises';
import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { type Act, cutting, holding } from '../wire/index.ts';
import { newNonce, type Place } from './armed-fault.ts';

type PointFault = Extract<Fault, { at: 'cut' | 'hold' | 'delay' | 'crash' }>;

/** Arms at the tap what is to be done, once, at a point of what the subject says. */
export async function armPoint(place: Place, fault: PointFault): Promise<ArmedFault> {
  const released = Promise.withResolvers<void>();
  const armed = place.tap.interfere(fault.point, actOf(place, fault, released.promise), await writingFunctions(place));
  return {
    nonce: newNonce(),
    reached: armed.reached,
    sprung: async () => {
      const { passed } = armed;
      return { count: passed ? 1 : 0, rowsBefore: 0, raised: 0, ...(passed && { passed }) };
    },
    disarm: async () => {
      armed.disarm();
      released.resolve();
    },
  };
}

function actOf(place: Place, fault: PointFault, released: Promise<void>): Act {
  if (fault.at === 'cut') return cutting;
  if (fault.at === 'crash') {
    const kill = async (): Promise<'drop'> => {
      await place.crash();
      return 'drop';
    };
    return { word: 'killed the server', on: kill };
  }
  if (fault.at === 'hold') return holding('held', released);
  const { milliseconds } = fault;
  const delayed = async (): Promise<void> => {
    await Promise.race([pause(milliseconds, undefined, { ref: false }), released]);
  };
  return { word: 'delayed', on: (victim) => holding('delayed', delayed()).on(victim) };
}

/** Functions that are not the system's own and may write: a SELECT that calls one may be a commit. */
async function writingFunctions(place: Place): Promise<string[]> {
  const { rows } = await place.run((client) =>
    client.query<{ name: string }>(
      `SELECT DISTINCT proname AS name FROM pg_proc
       WHERE provolatile = 'v' AND pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`,
    ),
  );
  return rows.map(({ name }) => name);
}
