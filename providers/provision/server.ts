import type { Provision } from '../provider.ts';
import type { Tls } from './tls.ts';

/** Where a PostgreSQL server answers, and as whom the judge connects. */
export interface Address {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Where the server is to be spoken to by TLS. */
  tls?: Tls;
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
  /** Kills all its processes, before this returns, by SIGKILL; resolves with them when they are gone. */
  kill(): Promise<number[]>;
  /** Starts it again on the same data and port; returns by what it is seen to be the same, in words. */
  restart(): Promise<string>;
  /** Leaves its data in place when it is stopped; returns the way to look into them, in words. */
  keep(): string;
  /** What it said last, where it has ended unasked. */
  readonly ended: string | undefined;
}
