/** One message of PostgreSQL's frontend/backend protocol, whole or with the beginning of its body. */
export interface Message {
  /** First byte; 0 for the untyped packets that open a connection. */
  readonly type: number;
  /** Bytes of the whole message, with type and length. */
  readonly size: number;
  /** The body, up to the bound for its type. */
  readonly body: Buffer;
  /** Bytes of CopyData that this side has sent before it, since it connected. */
  readonly copied: number;
}

/** Where in the data a message begins. */
export interface Cut {
  readonly at: number;
  readonly message: Message;
}

/** Bytes that can be passed on, and the messages among them that are looked at. */
export interface Framed {
  readonly data: Buffer;
  readonly cuts: readonly Cut[];
}

/** Codes of the untyped packets. */
export const packet = { cancel: 80877102, ssl: 80877103, gss: 80877104 } as const;

const copyData = 'd'.charCodeAt(0);
const nothing: Framed = { data: Buffer.alloc(0), cuts: [] };
/** The server takes no longer start-up packet. */
const longestPacket = 10_000;

/**
 * Cuts one side's byte stream into messages, however the network has cut it.
 *
 * A message that is looked at is held back until the part of its body that its bound names is there, so that it can be
 * decided on before any of it is passed on. All others are followed by their length only and never collected. What is
 * not the protocol is passed on as it comes.
 */
export class Framer {
  readonly #bounds: Readonly<Record<number, number>>;
  #startUp: boolean;
  #garbage = false;
  /** The beginning of a message, in pieces, until `#needed` bytes of it are there. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #needed = 0;
  /** Bytes of the last message that are still to come. */
  #rest = 0;
  #copied = 0;

  /** `bounds`: for each type that is looked at, how much of the body to keep; `startUp`: the side that opens. */
  constructor(bounds: Readonly<Record<number, number>>, startUp: boolean) {
    this.#bounds = bounds;
    this.#startUp = startUp;
  }

  push(chunk: Buffer): Framed {
    const data = this.#joined(chunk);
    if (!data) return nothing;
    const cuts: Cut[] = [];
    let at = Math.min(this.#rest, data.length);
    this.#rest -= at;
    while (at < data.length) {
      if (this.#garbage) return { data, cuts };
      const left = data.length - at;
      const header = this.#startUp ? 4 : 5;
      if (left < header) return this.#hold(data, at, header, cuts);
      const type = this.#startUp ? 0 : data[at]!;
      const size = data.readInt32BE(at + header - 4) + header - 4;
      if (size < header || (this.#startUp && (size < 8 || size > longestPacket))) {
        this.#garbage = true;
        continue;
      }
      const bound = this.#startUp ? longestPacket : this.#bounds[type];
      if (bound !== undefined) {
        const wanted = Math.min(size, header + bound);
        if (left < wanted) return this.#hold(data, at, wanted, cuts);
        const body = data.subarray(at + header, at + wanted);
        cuts.push({ at, message: { type, size, body, copied: this.#copied } });
        if (this.#startUp) this.#opened(body.readInt32BE(0));
      } else if (type === copyData) {
        this.#copied += size - header;
      }
      const here = Math.min(size, left);
      this.#rest = size - here;
      at += here;
    }
    return { data, cuts };
  }

  /** What is still held back when the stream ends inside a message. */
  end(): Buffer {
    const rest = Buffer.concat(this.#held);
    this.#held = [];
    return rest;
  }

  /** After the start-up message come typed ones; after a cancel request comes nothing. */
  #opened(code: number): void {
    if (code === packet.ssl || code === packet.gss) return;
    if (code >> 16 === 3) this.#startUp = false;
    else this.#garbage = true;
  }

  #joined(chunk: Buffer): Buffer | undefined {
    if (this.#held.length === 0) return chunk;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#needed) return undefined;
    const data = Buffer.concat(this.#held);
    this.#held = [];
    return data;
  }

  #hold(data: Buffer, at: number, needed: number, cuts: Cut[]): Framed {
    this.#held = [data.subarray(at)];
    this.#heldBytes = data.length - at;
    this.#needed = needed;
    return { data: data.subarray(0, at), cuts };
  }
}
