import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { codeOf, messageOf } from './errors.ts';

/** Gives the subject's sessions, those that begin from now on, a time zone; at the tap, so that no driver has to help. */
export async function armZone(place: Place, { zone }: Extract<Fault, { at: 'session' }>): Promise<ArmedFault> {
  // A session that asks for one that is not there would not begin.
  await place
    .run((client) => client.query(`SELECT set_config('timezone', $1, true)`, [zone]))
    .catch((cause: unknown) => {
      if (codeOf(cause) === '22023') throw new NotApplicable('engine', messageOf(cause));
      throw cause;
    });
  const zoned = place.tap.setDefault('timezone', zone);
  return armedFault({
    nonce: newNonce(),
    count: async () => ({ count: zoned.sessions, rowsBefore: 0, raised: 0 }),
    remove: async () => zoned.remove(),
  });
}
