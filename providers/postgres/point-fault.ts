import { setTimeout as pause } from 'node:timers/promises';
import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { type Act, cutting, holding } from '../wire/index.ts';
import { newNonce, type Place } from './armed-fault.ts';
import { writingFunctions } from './catalog.ts';

type PointFault = Extract<Fault, { at: 'rollback' | 'cut' | 'hold' | 'delay' | 'crash' }>;

/** Arms at the tap what is to be done, once, at a point of what the subject says. */
export async function armPoint(place: Place, fault: PointFault): Promise<ArmedFault> {
  const released = Promise.withResolvers<void>();
  place.tap.knowFunctions(await place.run(writingFunctions));
  const point = fault.at === 'rollback' ? ({ rollback: true } as const) : fault.point;
  const armed = place.tap.interfere(point, actOf(place, fault, released.promise));
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
  if (fault.at === 'cut' || fault.at === 'rollback') return cutting;
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
