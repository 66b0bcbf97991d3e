import type { Socket } from 'node:net';
import type { Cut, Framed, Framer, Message } from './framer.ts';

/** What becomes of what is held: it is passed on after all, or it and everything after it is dropped. */
export type Verdict = 'pass' | 'drop';

/** What is done with a message instead of passing it on at once. */
export interface Decision {
  /** Awaited while the message, and all that comes after it, is held; what comes meanwhile is taken in. */
  first?: () => Promise<Verdict>;
  /** Is passed on in its place; only for messages whose bound keeps all of them. */
  instead?: Buffer;
  /** Called when the last byte of the message has been passed on, and no message after it. */
  after?: () => void;
}

export interface FlowOptions {
  from: Socket;
  to: Socket;
  framer: Framer;
  /** When the side that sends is gone, the other is told by an end, and may still say what it has to say. */
  lingers?: true;
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

/** Bytes that are taken in while a message is held; whoever sends more than that has to wait. */
const mostWaiting = 16 * 1024 * 1024;

/** One direction of a connection: passes bytes on, in order, as fast as the other side takes them. */
export class Flow {
  /** Bytes passed on. */
  bytes = 0;
  readonly #options: FlowOptions;
  #busy: Promise<void> | undefined;
  #dropped = false;
  #holds = false;
  /** What has come while a message was held. */
  #waiting: Framed[] = [];
  #waitingBytes = 0;
  /** What is to be done when all bytes up to this count have been passed on. */
  #then: { at: number; after: () => void } | undefined;

  constructor(options: FlowOptions) {
    this.#options = options;
    const { from, framer } = options;
    from.on('data', (chunk) => this.#take(framer.push(chunk)));
    from.once('end', () => this.#ended());
    from.once('close', () => this.#closed());
  }

  /** Whether a message is held at present. */
  get holds(): boolean {
    return this.#holds;
  }

  /** Passes nothing on any more, not even the end; what comes is heard all the same. */
  drop(): void {
    this.#dropped = true;
    this.#waiting = [];
    this.#options.from.resume();
  }

  #take(framed: Framed): void {
    this.#options.arrived?.(framed.cuts);
    if (this.#dropped) return;
    if (!this.#busy) {
      this.#go(framed);
      return;
    }
    this.#waiting.push(framed);
    this.#waitingBytes += framed.data.length;
    if (this.#waitingBytes > mostWaiting) this.#options.from.pause();
  }

  #go(framed: Framed): void {
    const busy = this.#pass(framed);
    if (!busy) return;
    const { from } = this.#options;
    from.pause();
    this.#busy = busy
      .then(async () => {
        for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
          this.#waitingBytes -= next.data.length;
          await this.#pass(next);
        }
      })
      .then(() => {
        this.#busy = undefined;
        from.resume();
      });
  }

  /** The side that sends has ended its sending. */
  async #ended(): Promise<void> {
    while (this.#busy) await this.#busy;
    this.#options.ended?.();
    if (this.#dropped) return;
    this.#write(this.#options.framer.end());
    this.#options.to.end();
  }

  /** One side is gone: so that the other is closed, too, when what had come before is on its way. */
  async #closed(): Promise<void> {
    const { from, to } = this.#options;
    while (this.#busy) await this.#busy;
    this.#options.ended?.();
    if (this.#dropped) return;
    if (this.#options.lingers) to.end();
    else if (from.errored) reset(to);
    else to.destroySoon();
  }

  #pass({ data, cuts }: Framed): Promise<void> | undefined {
    const { decide, continuing } = this.#options;
    const first = cuts[0]?.at ?? data.length;
    if (first > 0) continuing?.(data.subarray(0, first));
    if (this.#then) return this.#carryOut(undefined, data, cuts, 0);
    for (let n = 0; n < cuts.length; n++) {
      const decision = decide(cuts[n]!.message);
      if (decision) return this.#carryOut(decision, data, cuts, n);
      this.#passing(data, cuts, n);
    }
    return this.#write(data);
  }

  /** Goes on from the `n`-th message, for which there may be a decision already. */
  async #carryOut(decision: Decision | undefined, data: Buffer, cuts: readonly Cut[], n: number): Promise<void> {
    let from = 0;
    const writeTo = async (to: number): Promise<void> => {
      const part = data.subarray(from, to);
      from = Math.max(from, to);
      await this.#write(part);
    };
    for (let next = decision; n < cuts.length; next = undefined) {
      const { at, message } = cuts[n]!;
      if (this.#then) await writeTo(at);
      if (this.#dropped) return;
      next ??= this.#options.decide(message);
      if (next?.first || next?.instead) {
        await writeTo(at);
        if ((await this.#held(next)) === 'drop') this.drop();
        if (this.#dropped) return;
        if (next.instead) {
          await this.#write(next.instead);
          from += message.size;
        }
      }
      this.#passing(data, cuts, n);
      if (next?.after) this.#then = { at: this.bytes + (at + message.size - from), after: next.after };
      n += 1;
    }
    await writeTo(data.length);
  }

  async #held({ first }: Decision): Promise<Verdict> {
    if (!first) return 'pass';
    const { from } = this.#options;
    from.resume();
    this.#holds = true;
    const verdict = await first();
    this.#holds = false;
    from.pause();
    return verdict;
  }

  #passing(data: Buffer, cuts: readonly Cut[], n: number): void {
    const { passing } = this.#options;
    const { at, message } = cuts[n]!;
    passing?.(message, data.subarray(at, cuts[n + 1]?.at ?? data.length));
  }

  /** Resolves when the other side takes more. */
  #write(data: Buffer): Promise<void> | undefined {
    const { from, to } = this.#options;
    if (data.length === 0 || !to.writable || this.#dropped) return undefined;
    this.bytes += data.length;
    const flowing = to.write(data);
    if (this.#then && this.bytes >= this.#then.at) {
      const { after } = this.#then;
      this.#then = undefined;
      after();
    }
    if (flowing) return undefined;
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
