import type { Client } from 'pg';
import type { PostgresSite } from '../sites.ts';
import type { Driver } from './driver.ts';
import { isLost, messageOf } from './errors.ts';

/** Does on a lease what it is told, as a subject would: by the site's address and with the subject's rights. */
export class StandIn {
  readonly #driver: Driver;
  readonly #site: PostgresSite;
  #client: Client | undefined;

  constructor(driver: Driver, site: PostgresSite) {
    this.#driver = driver;
    this.#site = site;
  }

  /** Runs statements in one session, or in a new one where that was ended. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = this.#client ?? (await this.#connect());
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } catch (cause) {
      // What the server says of a session that it has ended comes before the end of the connection.
      if (isLost(cause)) this.#client = undefined;
      throw cause;
    }
  }

  /** The message of the error that running the statements ends with, or null; an open transaction is ended. */
  async errorOf(sql: string): Promise<string | null> {
    try {
      await this.query(sql);
      return null;
    } catch (cause) {
      await this.#client?.query('ROLLBACK').catch(() => {});
      return messageOf(cause);
    }
  }

  async end(): Promise<void> {
    await this.#client?.end();
    this.#client = undefined;
  }

  async #connect(): Promise<Client> {
    const client = new this.#driver.Client({ connectionString: this.#site.url });
    client.on('error', () => {});
    client.once('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    this.#client = client;
    return client;
  }
}
