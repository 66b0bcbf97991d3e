import type { EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Site } from '../contracts/kernel/engine.ts';
import type { CallOptions, HeldTransaction } from '../contracts/kernel/guard.ts';
import type { Failure, Settled } from '../contracts/kernel/outcome.ts';
import { decode, encode } from './codec.ts';
import { type Host, HostEnded, type HostKind, type HostOptions, HostRefused, type Session } from './host.ts';
import type { Ask, HostMessage, Manifest, Prepare, Replies, Reply, Request } from './protocol.ts';

/** The way to a host, whatever it runs in. */
export interface Link {
  send(request: Request): void;
  /** Ends the thread or process at once; resolves when it is gone. */
  end(): Promise<void>;
}

/** What a link tells the judge. */
export interface LinkListener {
  message(message: HostMessage): void;
  /** The host is gone, for this reason; nothing is heard of it any more. */
  ended(reason: string): void;
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

const textKept = 8 * 1024;

/** Milliseconds that a variant has to declare. */
const declareWithin = 5000;
/** Milliseconds that a subject has to close, unless the options say otherwise. */
export const closeWithin = 10_000;
/** Milliseconds that a host has to start and to load its backend, unless the options say otherwise. */
export const loadWithin = 30_000;

/** Starts a host over a link and loads the backend there. */
export async function connect(
  kind: HostKind,
  options: HostOptions,
  link: (listener: LinkListener) => Link,
): Promise<Host> {
  const client = new Client(kind, options, link);
  try {
    await client.load();
  } catch (error) {
    await client.terminate();
    throw error;
  }
  return client;
}

class Client implements Host {
  readonly kind: HostKind;
  manifest!: Manifest;
  ended: string | undefined;

  readonly #options: HostOptions;
  readonly #link: Link;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #lastSession = 0;
  #strays: Failure[] = [];
  #console = { bytes: 0, text: '' };
  #textLeft = textKept;

  constructor(kind: HostKind, options: HostOptions, link: (listener: LinkListener) => Link) {
    this.kind = kind;
    this.#options = options;
    this.#link = link({
      message: (message) => this.#hear(message),
      ended: (reason) => this.#end(reason),
    });
  }

  async load(): Promise<void> {
    const { backend, agents, world } = this.#options;
    const within = this.#options.loadWithin ?? loadWithin;
    const { clockShift = 0, clockStandsAt } = world ?? {};
    const still = clockStandsAt === undefined ? {} : { clockStandsAt };
    const loaded = this.ask({ do: 'load', backend, agents, clockShift, ...still });
    this.manifest = await before(loaded, within, () => {
      const message = `${backend.url} did not load within ${within} ms`;
      return new HostRefused({ name: 'LoadTimeout', message, code: 'LOAD_TIMEOUT' });
    });
  }

  takeStrays(): Failure[] {
    const strays = this.#strays;
    this.#strays = [];
    return strays;
  }

  takeConsole(): { bytes: number; text: string } {
    const written = this.#console;
    this.#console = { bytes: 0, text: '' };
    return written;
  }

  declare(variant: string, contract: string, facts: EngineFacts): Promise<Replies['declare']> {
    return before(this.ask({ do: 'declare', variant, contract, facts }), declareWithin, () => {
      const message = `declare did not end within ${declareWithin} ms, for ${contract} of variant ${variant}`;
      return new HostRefused({ name: 'DeclareTimeout', message, code: 'DECLARE_TIMEOUT' });
    });
  }

  async open(o: Parameters<Host['open']>[0]): Promise<Session> {
    const session = ++this.#lastSession;
    const { members } = await this.ask({ do: 'open', session, ...o, mutants: o.mutants ?? [] });
    let closing: Promise<void> | undefined;
    return {
      members,
      call: (member, args, options) => {
        const settled = this.#call(session, member, args, options);
        // A guard may look elsewhere while the host ends; the rejection is still there when it awaits the call.
        settled.catch(() => {});
        return settled;
      },
      begin: () => this.#begin(session),
      rows: (of = 'rows') => this.ask({ do: 'rows', session, of }),
      lies: () => this.ask({ do: 'lies', session }),
      // A guard may close its subject itself, before everything that it opened is closed.
      close: () => {
        closing ??= this.#close(session);
        return closing;
      },
    };
  }

  agent(site: Site, method: string, args: unknown[]): Promise<unknown> {
    return this.ask({ do: 'agent', site, method, args: encode(args) });
  }

  quiet(): Promise<Replies['quiet']> {
    return this.ask({ do: 'quiet' });
  }

  async answers(ms: number): Promise<boolean> {
    const ping = this.ask({ do: 'ping' });
    return before(ping, ms, () => new Error('no answer')).then(
      () => true,
      () => false,
    );
  }

  async terminate(): Promise<void> {
    this.#end('terminated');
    await this.#link.end();
  }

  /** Asks for something other than a call; anything but a value is the host's refusal. */
  async ask<A extends Ask>(ask: A): Promise<Replies[A['do']]> {
    const reply = await this.#request(ask);
    if ('value' in reply) return decode(reply.value) as Replies[A['do']];
    throw new HostRefused('threw' in reply ? reply.threw : reply.refused);
  }

  async #call(session: number, member: string, args: unknown[], options: CallOptions = {}): Promise<Settled<unknown>> {
    const { compare, freeze, scramble, signal, holdTimers, transaction, context } = options;
    const prepare: Prepare = {};
    if (compare) prepare.compare = true;
    if (freeze) prepare.freeze = true;
    if (scramble) prepare.scramble = scramble;
    if (holdTimers) prepare.holdTimers = true;
    if (transaction) prepare.transaction = transaction.id;
    if (context !== undefined) prepare.context = context;
    if (signal) prepare.signal = signal.aborted ? 'aborted' : 'live';
    const reply = this.#request({ do: 'call', session, member, args: encode(args), prepare });
    const call = this.#lastId;
    const cancel = () => void this.#request({ do: 'cancel', call }).catch(() => {});
    if (prepare.signal === 'live') signal?.addEventListener('abort', cancel, { once: true });
    return settled(await reply);
  }

  async #begin(session: number): Promise<HeldTransaction> {
    const transaction = await this.ask({ do: 'begin', session });
    const end = async (step: 'commit' | 'rollback') =>
      settled(await this.#request({ do: 'transact', transaction, step }));
    return {
      id: transaction,
      run: async (statement) => settled(await this.#request({ do: 'transact', transaction, step: 'run', statement })),
      commit: () => end('commit'),
      rollback: () => end('rollback'),
    };
  }

  async #close(session: number): Promise<void> {
    const within = this.#options.closeWithin ?? closeWithin;
    await before(this.ask({ do: 'close', session }), within, () => {
      const message = `the subject did not close within ${within} ms`;
      return new HostRefused({ name: 'CloseTimeout', message, code: 'CLOSE_TIMEOUT' });
    });
  }

  #request(ask: Ask): Promise<Reply> {
    const request: Request = { id: ++this.#lastId, ...ask };
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) {
        reject(new HostEnded(`the host has ended: ${this.ended}`));
        return;
      }
      this.#waiting.set(request.id, { resolve, reject });
      this.#options.trace?.({ from: 'judge', message: request });
      this.#link.send(request);
    });
  }

  #hear(message: HostMessage): void {
    if (this.ended !== undefined) return;
    this.#options.trace?.({ from: 'host', message });
    // A subject can write to the same channel (process.send, parentPort): what is no message of ours is not heard.
    if (typeof message !== 'object' || message === null) return;
    if ('id' in message) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      waiting?.resolve(message);
    } else if (message.event === 'stray') {
      this.#strays.push(message.failure);
    } else if (message.event === 'console') {
      this.#console.bytes += message.bytes;
      this.#console.text += message.text.slice(0, this.#textLeft);
      this.#textLeft -= Math.min(this.#textLeft, message.text.length);
    }
  }

  #end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    for (const { reject } of this.#waiting.values()) reject(new HostEnded(`the host has ended: ${reason}`));
    this.#waiting.clear();
  }
}

function settled(reply: Reply): Settled<unknown> {
  if ('refused' in reply) throw new HostRefused(reply.refused);
  const touched = reply.touched === undefined ? {} : { touched: reply.touched };
  return 'threw' in reply ? { threw: reply.threw, ...touched } : { value: decode(reply.value), ...touched };
}

/** Waits for `work`, but not longer than `ms`. */
function before<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
