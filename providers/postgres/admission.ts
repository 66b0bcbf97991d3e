import { EngineUnavailable } from '../provider.ts';
import type { Address, Server } from '../provision/server.ts';
import { shown } from '../provision/url.ts';
import type { Connections } from './connections.ts';
import { quoteName } from './sql.ts';

/** The oldest version that has all that is used here. */
const oldest = 14;

/** Sessions of the run itself, and of each guard: those of its subjects, and those that it looks by. */
const sessions = { run: 2, guard: 16 };

/** What was found out about a server on which leases can be had. */
export interface Admitted {
  version: string;
  /** How many guards there are sessions for. */
  guardsAtOnce: number;
}

/** Makes sure that leases can be had on a server; throws `EngineUnavailable` with what is in the way. */
export async function admit(connections: Connections, { address }: Server): Promise<Admitted> {
  const { rows } = await connections.run('pg_catalog', (client) => client.query<Seen>(look));
  const seen = rows[0]!;
  const { free, because } = sessionsLeft(seen, address);
  const needed = sessions.run + sessions.guard;
  const obstacle =
    obstacleIn(seen, address) ??
    (free < needed ? `a run needs ${needed} sessions at once, and can have ${free}: ${because}` : undefined);
  if (obstacle !== undefined) throw new EngineUnavailable(`${shown(address)}: ${obstacle}`);
  // Debian's says more than the number.
  const version = seen.version.split(' ')[0]!;
  return { version, guardsAtOnce: Math.floor((free - sessions.run) / sessions.guard) };
}

interface Seen {
  version: string;
  number: number;
  standby: boolean;
  encoding: string;
  readOnly: boolean;
  mayCreate: boolean;
  /** Most sessions of the role and in the database; negative where there is no limit. */
  roleLimit: number;
  databaseLimit: number;
  most: number;
  /** Of `most` those that this role does not get. */
  reserved: number;
  /** Sessions of others, or of this role for others. */
  roleUsed: number;
  databaseUsed: number;
  used: number;
}

/** Limits of roles and databases do not hold for a superuser, nor are sessions kept from one. */
const look = `
  WITH others AS (SELECT usesysid, datid FROM pg_stat_activity WHERE usesysid IS NOT NULL AND pid <> pg_backend_pid())
  SELECT current_setting('server_version') AS version,
         current_setting('server_version_num')::int AS number,
         pg_is_in_recovery() AS standby,
         current_setting('server_encoding') AS encoding,
         current_setting('default_transaction_read_only') = 'on' AS "readOnly",
         has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
         CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END AS "roleLimit",
         CASE WHEN rolsuper THEN -1 ELSE datconnlimit END AS "databaseLimit",
         current_setting('max_connections')::int AS most,
         CASE WHEN rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::int
           + coalesce(current_setting('reserved_connections', true), '0')::int END AS reserved,
         (SELECT count(*)::int FROM others WHERE usesysid = me.oid) AS "roleUsed",
         (SELECT count(*)::int FROM others WHERE datid = here.oid) AS "databaseUsed",
         (SELECT count(*)::int FROM others) AS used
  FROM pg_roles me, pg_database here
  WHERE rolname = current_user AND datname = current_database()`;

function obstacleIn(seen: Seen, { user, database }: Address): string | undefined {
  const [role, name] = [quoteName(user), quoteName(database)];
  if (seen.number < oldest * 10_000) {
    return `PostgreSQL ${seen.version} is too old; ${oldest} is the oldest that will do`;
  }
  if (seen.standby) return 'the server is a standby, which takes no writes; give the address of its primary';
  if (seen.readOnly) {
    const set = `ALTER ROLE ${role} IN DATABASE ${name} SET default_transaction_read_only = off`;
    return `transactions of ${user} are read-only (default_transaction_read_only is on); ${set} lets it write`;
  }
  if (!seen.mayCreate) return `the role may not create schemas; GRANT CREATE ON DATABASE ${name} TO ${role} lets it`;
  if (seen.encoding !== 'UTF8') {
    const create = `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`;
    return `the encoding of the database is ${seen.encoding}, which has not every character; ${create} makes one that has`;
  }
  return undefined;
}

/** How many sessions the role can have, this one with them, and the setting that allows no more. */
function sessionsLeft(seen: Seen, { user, database }: Address): { free: number; because: string } {
  const { roleLimit, databaseLimit, most, reserved } = seen;
  const limits = [
    { limit: roleLimit, used: seen.roleUsed, setting: `CONNECTION LIMIT of role ${user} is ${roleLimit}` },
    {
      limit: databaseLimit,
      used: seen.databaseUsed,
      setting: `CONNECTION LIMIT of database ${database} is ${databaseLimit}`,
    },
    { limit: most - reserved, used: seen.used, setting: `max_connections is ${most}, ${reserved} of them reserved` },
  ];
  const tightest = limits
    .filter(({ limit }) => limit >= 0)
    .reduce((a, b) => (b.limit - b.used < a.limit - a.used ? b : a));
  const { limit, used, setting } = tightest;
  return { free: limit - used, because: used === 0 ? setting : `${setting}, and others have ${used}` };
}
