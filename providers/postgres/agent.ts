import type { Client } from 'pg';
import type { Site } from '../../contracts/kernel/engine.ts';
import type { Agent } from '../provider.ts';
import type { Address } from '../provision/server.ts';
import type { PostgresSite } from '../sites.ts';
import { clientConfig } from './connections.ts';
import { edit, type PostgresSnapshot, restore, snapshot } from './content.ts';
import { loadDriver } from './driver.ts';
import { quoteName } from './sql.ts';

/** A way around the tap, for the hand that spoils what a subject has stored. */
class Bypass {
  readonly #address: Address;
  readonly #schema: string;
  #client: Promise<Client> | undefined;
  /** One piece of work at a time: a transaction of one must not hold what another does. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(address: Address, schema: string) {
    this.#address = address;
    this.#schema = schema;
  }

  work<T>(what: (client: Client, schema: string) => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      this.#client ??= this.#connect();
      const connecting = this.#client;
      const client = await connecting;
      // The server may be killed; the next work needs a connection that lives.
      client.once('end', () => {
        if (this.#client === connecting) this.#client = undefined;
      });
      try {
        return await what(client, this.#schema);
      } catch (cause) {
        // Whatever transaction was open goes with the connection.
        await this.close();
        throw cause;
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.end();
  }

  async #connect(): Promise<Client> {
    const { Client } = await loadDriver();
    const client = new Client(clientConfig(this.#address));
    client.on('error', () => {});
    await client.connect();
    await client.query(`SET search_path = ${quoteName(this.#schema)}`);
    return client;
  }
}

function install(): Agent {
  const bypasses = new Map<string, Bypass>();
  const schemaOf = (site: Site): string => (site as PostgresSite).schema;
  return {
    async call(site: Site, method: string, args: unknown[]): Promise<unknown> {
      const schema = schemaOf(site);
      switch (method) {
        case 'bypass':
          bypasses.set(schema, new Bypass(args[0] as Address, schema));
          return null;
        case 'forget':
          await bypasses.get(schema)?.close();
          bypasses.delete(schema);
          return null;
        default:
          throw new TypeError(`postgres: the agent has no method ${method}`);
      }
    },
    hand(site: Site) {
      const bypass = bypasses.get(schemaOf(site));
      if (!bypass) throw new Error('postgres: no lease has told the agent the way to its namespace');
      return {
        snapshot: () => bypass.work(snapshot),
        restore: (content) => bypass.work((client, schema) => restore(client, schema, content as PostgresSnapshot)),
        edit: (change) => bypass.work((client, schema) => edit(client, schema, change)),
      };
    },
  };
}

/** Two copies of this module in one thread (one compiled, one not) share what leases have told them. */
const installedKey = Symbol.for('contract-test.postgres.agent');
const holder = globalThis as { [installedKey]?: Agent };
holder[installedKey] ??= install();

/** The part of the postgres provider beside the subject: the hand of behavioural mutants. */
export const agent: Agent = holder[installedKey];
