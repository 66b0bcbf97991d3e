import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { LeftLocked } from '../../contracts/kernel/engine.ts';
import type { Server } from '../provision/server.ts';
import type { PostgresSite } from '../sites.ts';
import type { Connections } from './connections.ts';
import type { Owner } from './owner.ts';
import { quoteName, quoteText } from './sql.ts';

/** A schema of ours, and as whom the subject works in it. */
export interface Namespace {
  schema: string;
  user: string;
  password: string;
  /** The role, where it is the namespace's own. */
  role: string | undefined;
}

/**
 * Makes and drops the schemas of leases.
 *
 * On a private server each has a role of its own, whose sessions find nothing but the schema. On somebody's server no
 * role is made: the subject works as the role of the URL, and finds the schema by the search path in its site's URL.
 */
export class Namespaces {
  readonly #connections: Connections;
  readonly #owner: Owner;
  readonly #server: Server;
  readonly #password = randomBytes(18).toString('base64url');
  readonly #verifier = scramVerifier(this.#password);

  constructor(connections: Connections, owner: Owner, server: Server) {
    this.#connections = connections;
    this.#owner = owner;
    this.#server = server;
  }

  /** What all namespaces of the run share: the role by which theirs may create schemas, as one by URL may. */
  async prepare(): Promise<void> {
    if (!this.#server.own) return;
    const role = quoteName(this.#owner.prefix);
    const { database } = this.#server.address;
    await this.#execute(`CREATE ROLE ${role}; GRANT CREATE ON DATABASE ${quoteName(database)} TO ${role}`);
  }

  async create(): Promise<Namespace> {
    await this.#owner.claim();
    const schema = this.#owner.nextName();
    const name = quoteName(schema);
    const comment = `COMMENT ON SCHEMA ${name} IS ${quoteText(this.#owner.mark)}`;
    if (!this.#server.own) {
      const { user, password } = this.#server.address;
      await this.#execute(`CREATE SCHEMA ${name}; ${comment}`);
      return { schema, user, password, role: undefined };
    }
    await this.#execute(`
      CREATE ROLE ${name} LOGIN PASSWORD ${quoteText(this.#verifier)} IN ROLE ${quoteName(this.#owner.prefix)};
      ALTER ROLE ${name} SET search_path = ${name};
      CREATE SCHEMA ${name} AUTHORIZATION ${name};
      ${comment}`);
    this.#flush();
    return { schema, user: schema, password: this.#password, role: schema };
  }

  /** Empties a namespace, so that it reads as if nothing had ever been created in it. */
  async wipe({ schema, user }: Namespace): Promise<void> {
    const name = quoteName(schema);
    await this.#execute(`
      DROP SCHEMA IF EXISTS ${name} CASCADE;
      CREATE SCHEMA ${name} AUTHORIZATION ${quoteName(user)};
      COMMENT ON SCHEMA ${name} IS ${quoteText(this.#owner.mark)}`);
  }

  /** Leaves a namespace to whoever wants to look into it: no sweep takes it for a leftover. */
  async keep({ schema }: Namespace): Promise<void> {
    await this.#execute(`COMMENT ON SCHEMA ${quoteName(schema)} IS 'contract-test: kept on request'`);
  }

  /** Drops a namespace with everything that its role owns; sessions that stand in the way are ended. */
  async drop({ schema, role }: Namespace): Promise<void> {
    const name = quoteName(schema);
    // A role may have made more than the schema; on a private server all that is ours.
    const withRole = role ? `; DROP OWNED BY ${quoteName(role)} CASCADE; DROP ROLE ${quoteName(role)}` : '';
    const drop = `DROP SCHEMA IF EXISTS ${name} CASCADE${withRole}`;
    try {
      await this.#execute(drop);
    } catch (cause) {
      if (!(cause instanceof LeftLocked)) throw cause;
      await this.#execute(`
        SELECT pg_terminate_backend(l.pid, 2000) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND c.relnamespace = to_regnamespace(${quoteText(name)}) AND l.pid <> pg_backend_pid()`);
      await this.#execute(drop);
    }
  }

  /** A crash must not take a namespace whose subject flushes nothing; but nobody waits for the disk. */
  #flush(): void {
    const anything = `SELECT pg_logical_emit_message(true, ${quoteText(this.#owner.prefix)}, '')`;
    this.#connections.run('pg_catalog', (client) => client.query(anything)).catch(() => {});
  }

  async #execute(sql: string): Promise<void> {
    const text = `BEGIN; SET LOCAL synchronous_commit = off; ${sql}; COMMIT`;
    await this.#connections.run('pg_catalog', (client) => client.query(text));
  }
}

/** Where a subject opens its namespace, by the address at which its traffic is seen. */
export function siteOf(
  { schema, user, password }: Namespace,
  mode: string,
  seen: { host: string; port: number },
  { address, own }: Server,
): PostgresSite {
  const { database } = address;
  const host = seen.host.includes(':') ? `[${seen.host}]` : seen.host;
  const path = own ? '' : `?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const url = `postgresql://${login}@${host}:${seen.port}/${encodeURIComponent(database)}${path}`;
  return { provider: 'postgres', mode, host: seen.host, port: seen.port, user, password, database, schema, url };
}

/** A password as the server stores it, by RFC 5803; made once, it serves any number of roles. */
function scramVerifier(password: string): string {
  const iterations = 4096;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyed = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const storedKey = createHash('sha256').update(keyed(salted, 'Client Key')).digest('base64');
  const serverKey = keyed(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
