import type { SeenStatement } from '../../contracts/kernel/engine.ts';

/** One statement that passed the tap, with what only the wire shows. */
export interface WireStatement extends SeenStatement {
  /** The transaction of the connection that it ran in, numbered from 1; a single statement is in one of its own. */
  transaction: number;
  /** On a connection that carried a mark while the recording was on; true where no marks were given. */
  own: boolean;
  /** In a transaction that carried a mark itself; true where no marks were given. */
  marked: boolean;
  /** The first few parameters, each shortened. */
  parameters?: string[];
  /** Rows that it sent to the client. */
  returned?: number;
  /** Bytes of COPY data, in or out. */
  copied?: number;
  /** The code of the error that `failed` words. */
  sqlstate?: string;
  /** Its cancellation was asked for while it ran. */
  cancelled?: true;
}

/** Whoever looks for marks; a carrier remembers which of them have found one. */
export type Seeker = object;

/** Something of a client's that can carry marks: a prepared statement, a portal, a statement. */
export interface Carrier {
  readonly marks: Set<Seeker>;
}

/** A statement before it runs. */
export interface Statement extends Carrier {
  /** As much of it as is kept, see `fromClient`. */
  readonly sql: string;
  /** One short line of it. */
  readonly text: string;
  readonly kind: SeenStatement['kind'];
}

/** A statement that is running, or has run. */
export interface Running extends Carrier {
  readonly seen: Omit<WireStatement, 'own' | 'marked'>;
  ended: boolean;
  /** It may change what is stored; what nobody listens to is not looked at. */
  readonly writes: boolean;
}
