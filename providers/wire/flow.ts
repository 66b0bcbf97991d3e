import type { Socket } from 'node:net';
import type { Cut, Framer, Message } from './framer.ts';

/** What is done with a message instead of passing it on at once. */
export interface Decision {
  /** Awaited while the message, and all that comes after it, is held. */
  first?: () => Promise<void>;
  /** Is passed on in its place; only for messages whose bound keeps all of them. */
  instead?: Buffer;
}

export interface FlowOptions {
  from: Socket;
  to: Socket;
  framer: Framer;
  /** Messages have come; none of them has been decided on. */
  arrived?(messages: readonly Cut[]): void;
  /** The one place where a message is decided on: before any of its bytes is passed on, one message after the other. */
  decide(message: Message): Decision | undefined;
  /** A message has been decided on and is passed on next; `bytes` are its own and what follows up to the next one. */
  passing?(message: Message, bytes: Buffer): void;
  /** More bytes of the message that was passed on last, or after it. */
  continuing?(bytes: Buffer): void;
  /** Nothing more comes; the other side is not told yet. */
  ended?(): void;
}

/** One direction of a connection: passes bytes on, in order, as fast as the other side takes them. */
export class Flow {
  /** Bytes passed on. */
  bytes = 0;
  readonly #options: FlowOptions;
  #busy: Promise<void> | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
    const { from, to, framer } = options;
    from.on('data', (chunk) => {
      const busy = this.#pass(chunk);
      if (!busy) return;
      from.pause();
      this.#busy = busy.then(() => {
        this.#busy = undefined;
        from.resume();
      });
    });
    from.once('end', () => {
      this.#write(framer.end());
      this.#options.ended?.();
      to.end();
    });
    from.once('close', () => this.#closed());
  }

  /** One side is gone: the other is closed likewise, when what had come before is on its way. */
  async #closed(): Promise<void> {
    const { from, to } = this.#options;
    while (this.#busy) await this.#busy;
    this.#options.ended?.();
    if (from.errored) reset(to);
    else to.destroySoon();
  }

  #pass(chunk: Buffer): Promise<void> | undefined {
    const { framer, arrived, decide, continuing } = this.#options;
    const { data, cuts } = framer.push(chunk);
    const first = cuts[0]?.at ?? data.length;
    if (first > 0) continuing?.(data.subarray(0, first));
    arrived?.(cuts);
    for (let n = 0; n < cuts.length; n++) {
      const decision = decide(cuts[n]!.message);
      if (decision) return this.#carryOut(decision, data, cuts, n);
      this.#passing(data, cuts, n);
    }
    return this.#write(data);
  }

  /** Goes on from the `n`-th message, for which there is a decision. */
  async #carryOut(decision: Decision, data: Buffer, cuts: readonly Cut[], n: number): Promise<void> {
    let from = 0;
    for (let next: Decision | undefined = decision; n < cuts.length; next = undefined) {
      const { at, message } = cuts[n]!;
      next ??= this.#options.decide(message);
      if (next) {
        await this.#write(data.subarray(from, at));
        from = at;
        await next.first?.();
        if (next.instead) {
          await this.#write(next.instead);
          from += message.size;
        }
      }
      this.#passing(data, cuts, n);
      n += 1;
    }
    await this.#write(data.subarray(from));
  }

  #passing(data: Buffer, cuts: readonly Cut[], n: number): void {
    const { passing } = this.#options;
    const { at, message } = cuts[n]!;
    passing?.(message, data.subarray(at, cuts[n + 1]?.at ?? data.length));
  }

  /** Resolves when the other side takes more. */
  #write(data: Buffer): Promise<void> | undefined {
    const { from, to } = this.#options;
    if (data.length === 0 || !to.writable) return undefined;
    this.bytes += data.length;
    if (to.write(data)) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        to.off('drain', go).off('close', go);
        from.off('close', go);
        resolve();
      };
      to.on('drain', go).on('close', go);
      from.on('close', go);
    });
  }
}

/** Ends a connection as its other end was ended: by a reset. */
export function reset(socket: Socket): void {
  // A TLS socket knows no reset of its own.
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
