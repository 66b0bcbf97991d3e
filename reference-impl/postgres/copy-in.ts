import type { ClientBase, Connection, Submittable } from 'pg';

/** Runs `COPY … FROM STDIN` and sends the pieces of its input; resolves when the server has taken all rows. */
export function copyIn(client: ClientBase, statement: string, pieces: Iterable<string>): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyIn(statement, pieces[Symbol.iterator](), resolve, reject));
  });
}

/** What a connection of `pg` can send of COPY's part of the protocol, though its types leave it out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/**
 * A query as `pg` runs it: `submit` sends it, and the handlers are called as the server's messages come in.
 *
 * The server answers COPY with CopyInResponse; then come CopyData and CopyDone, or CopyFail, from here. An error may
 * come from the server at any time in between; what is still sent after it, the server passes over.
 */
class CopyIn implements Submittable {
  readonly #statement: string;
  readonly #pieces: Iterator<string>;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  #failed = false;

  constructor(statement: string, pieces: Iterator<string>, resolve: () => void, reject: (error: unknown) => void) {
    this.#statement = statement;
    this.#pieces = pieces;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    try {
      this.#send(connection);
    } catch (error) {
      // Nothing of a COPY that was broken off is kept. The server's error repeats the reason; the first one counts.
      this.#fail(error);
      connection.sendCopyFail(String(error));
    }
  }

  handleError(error: unknown): void {
    this.#fail(error);
  }

  handleCommandComplete(): void {}

  /** Comes after an error as well; by then the promise is settled. */
  handleReadyForQuery(): void {
    this.#resolve();
  }

  /** Sends until the socket is full, and goes on when it has drained. */
  #send(connection: CopyConnection): void {
    while (!this.#failed) {
      const { done, value } = this.#pieces.next();
      if (done) {
        connection.endCopyFrom();
        return;
      }
      connection.sendCopyFromChunk(Buffer.from(value));
      if (connection.stream.writableNeedDrain) {
        connection.stream.once('drain', () => this.handleCopyInResponse(connection));
        return;
      }
    }
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#reject(error);
  }
}
