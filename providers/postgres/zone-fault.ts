import type { ArmedFault, Fault } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { armedFault, newNonce, type Place } from './armed-fault.ts';
import { codeOf, messageOf } from './errors.ts';
import { quoteName, quoteText } from './sql.ts';

/** Gives the subject's sessions, those that begin from now on, a time zone; by its role, so that no driver has to help. */
export async function armZone(place: Place, { zone }: Extract<Fault, { at: 'session' }>): Promise<ArmedFault> {
  const { role } = place;
  if (role === undefined) throw new NotApplicable('engine', noRoleOfItsOwn);
  const { since } = await place.run(async (client) => {
    await client.query(`ALTER ROLE ${quoteName(role)} SET timezone = ${quoteText(zone)}`).catch((cause: unknown) => {
      if (codeOf(cause) === '22023') throw new NotApplicable('engine', messageOf(cause));
      throw cause;
    });
    const { rows } = await client.query<{ since: string }>('SELECT clock_timestamp()::text AS since');
    return rows[0]!;
  });
  return armedFault({
    nonce: newNonce(),
    count: () =>
      place.run(async (client) => {
        const { rows } = await client.query<{ sessions: number }>(
          'SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE usename = $1 AND backend_start > $2',
          [role, since],
        );
        return { count: rows[0]!.sessions, rowsBefore: 0, raised: 0 };
      }),
    remove: () =>
      place.run(async (client) => void (await client.query(`ALTER ROLE ${quoteName(role)} RESET timezone`))),
  });
}

/** Why a lease on somebody's server cannot set what holds for the sessions of its subject. */
export const noRoleOfItsOwn = "the subject's role is somebody's; on a private server it has one of its own";
