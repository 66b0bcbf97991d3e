import type { Client, Pool, PoolClient } from 'pg';
import { LeftLocked } from '../../contracts/kernel/engine.ts';
import type { Address } from '../provision/server.ts';
import { tlsOptions } from '../provision/tls.ts';
import type { Driver } from './driver.ts';
import { isLockTimeout, unavailable } from './errors.ts';
import { quoteName } from './sql.ts';
import { readTypes } from './values.ts';

/** Set in the judge's own sessions, so that traps let their rows pass. */
export const ownSession = 'contract_test.own';

/** Milliseconds that a statement of the judge's waits for a lock. */
const lockTimeout = 2000;

/** Whatever defaults the server or the role has, what is read back must not depend on them. */
const settings = {
  // Rows that a policy hides are an error, and not silently missing.
  row_security: 'off',
  lock_timeout: lockTimeout,
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  extra_float_digits: 1,
  bytea_output: 'hex',
  [ownSession]: 'on',
};

/** What pg needs to connect; the judge's connections go around the tap. */
export function clientConfig(address: Address) {
  const { tls, ...rest } = address;
  return {
    ...rest,
    ssl: tls ? tlsOptions(tls) : false,
    application_name: 'contract-test',
    connectionTimeoutMillis: 10_000,
    types: readTypes,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

/** The judge's own connections to a server. */
export class Connections {
  readonly #driver: Driver;
  readonly #address: Address;
  readonly #pool: Pool;
  /** The schema that a connection looks into at present. */
  readonly #paths = new WeakMap<PoolClient, string>();

  constructor(driver: Driver, address: Address) {
    this.#driver = driver;
    this.#address = address;
    this.#pool = new driver.Pool({ ...clientConfig(address), max: 8, idleTimeoutMillis: 0, allowExitOnIdle: true });
    // A connection that ends is replaced when one is needed; whoever uses it learns it from his statement.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** Runs work on a connection whose unqualified names mean the schema. */
  async run<T>(schema: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((cause: unknown) => {
      throw unavailable(cause, this.#address);
    });
    let failed: unknown;
    try {
      if (this.#paths.get(client) !== schema) {
        await client.query(`SET search_path = ${quoteName(schema)}`);
        this.#paths.set(client, schema);
      }
      return await orLeftLocked(work(client));
    } catch (cause) {
      failed = cause;
      throw cause;
    } finally {
      // A transaction may have been left open by what failed.
      client.release(failed !== undefined);
    }
  }

  /** Opens a connection that is the caller's to end, and whose unqualified names mean the schema. */
  async open(schema: string): Promise<Client> {
    const client = new this.#driver.Client(clientConfig(this.#address));
    client.on('error', () => {});
    await client.connect().catch((cause: unknown) => {
      throw unavailable(cause, this.#address);
    });
    await client.query(`SET search_path = ${quoteName(schema)}`);
    return client;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** Ends as the work ends, but says of a lock that was not to be had that the subject has left it. */
export async function orLeftLocked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause;
    throw new LeftLocked('the subject has left a transaction open: a lock of its outlasts its call', { cause });
  }
}
