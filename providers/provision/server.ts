import type { Provision } from '../provider.ts';

/** Where a PostgreSQL server answers, and as whom the judge connects. */
export interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Options of `tls.connect`, where the server is to be spoken to by TLS. */
  tls?: { rejectUnauthorized: boolean; ca?: string; servername?: string };
}

/** A PostgreSQL server that the judge may use. */
export interface Server {
  readonly way: Provision;
  readonly address: Address;
  /** Whether it was started for this run alone, so that everything in it is ours. */
  readonly own: OwnServer | undefined;
  /** Ends what was started; safe to call twice. */
  stop(): Promise<void>;
}

/** What can be done with a server of our own only. */
export interface OwnServer {
  /** Kills all its processes at once, as a loss of power would. */
  kill(): Promise<void>;
  /** Starts it again on the same data. */
  restart(): Promise<void>;
  /** Leaves its data in place when it is stopped; returns the way to look into them, in words. */
  keep(): string;
  /** What it said last, where it has ended unasked. */
  readonly ended: string | undefined;
}
