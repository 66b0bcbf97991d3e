import { BroadcastChannel } from 'node:worker_threads';
import type { MutantTools } from '../../../kernel/mutant.ts';
import type { Id } from '../../../kernel/outcome.ts';
import type { Message } from '../../port.ts';

type Word =
  | { call: string; keys: string[]; beganAt: number }
  | { call: string; endedAt: number }
  | { holder: string; holds: [key: string, id: Id | null][] };

interface Call {
  keys: string[];
  beganAt: number;
  endedAt: number;
}

/**
 * What the spoiled subjects of one namespace tell each other, from thread to thread: the keys that each is about to send,
 * and those that open transactions hold. A correct subject has its engine for that.
 */
export class Rivals {
  readonly #channel: BroadcastChannel;
  readonly #calls = new Map<string, Call>();
  readonly #held = new Map<string, Map<string, Id | null>>();
  readonly #waiting: (() => void)[] = [];

  constructor({ site, atClose }: MutantTools) {
    this.#channel = new BroadcastChannel(`contract-test ${JSON.stringify(site)}`);
    this.#channel.onmessage = (event) => this.#hear((event as { data: Word }).data);
    // The host may end without it.
    this.#channel.unref();
    atClose(() => this.#channel.close());
  }

  /** Runs a call that sends these keys; then tells in which order another one sent the same keys meanwhile, if any. */
  async during<T>(
    keys: string[],
    work: () => Promise<T>,
  ): Promise<{ came: T; rival: 'same' | 'opposite' | undefined }> {
    const call = crypto.randomUUID();
    const beganAt = now();
    this.#say({ call, keys, beganAt });
    const came = await work();
    const endedAt = now();
    this.#say({ call, endedAt });
    await this.heard();
    const [, rival] =
      [...this.#calls]
        .filter(([name, other]) => name !== call && other.beganAt < endedAt && other.endedAt > beganAt)
        .find(([, other]) => other.keys.some((key) => keys.includes(key))) ?? [];
    if (rival === undefined) return { came, rival };
    const opposite = keys.length > 1 && rival.keys.join() === keys.toReversed().join();
    return { came, rival: opposite ? 'opposite' : 'same' };
  }

  /** Says which keys a transaction holds, and when it is over, none. */
  holds(holder: string, held: [key: string, id: Id | null][]): void {
    this.#say({ holder, holds: held });
  }

  /** The id of the row by which another subject's transaction holds a key; undefined where none does. */
  idHeld({ dedupeKey }: Message): Id | null | undefined {
    if (dedupeKey === undefined) return undefined;
    return [...this.#held.values()].find((keys) => keys.has(dedupeKey))?.get(dedupeKey);
  }

  /** Resolves when nobody holds the keys of these messages any more. */
  async released(messages: readonly Message[]): Promise<void> {
    while (messages.some((message) => this.idHeld(message) !== undefined))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Resolves when what the others have said by now has been heard. */
  async heard(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => void setImmediate(resolve));
  }

  /** A channel tells everybody but itself. */
  #say(word: Word): void {
    this.#hear(word);
    this.#channel.postMessage(word);
  }

  #hear(word: Word): void {
    if ('holds' in word) this.#hold(word.holder, new Map(word.holds));
    else if ('keys' in word) this.#calls.set(word.call, { ...word, endedAt: Number.POSITIVE_INFINITY });
    else if (this.#calls.has(word.call)) this.#calls.get(word.call)!.endedAt = word.endedAt;
  }

  #hold(holder: string, held: Map<string, Id | null>): void {
    this.#held.set(holder, held);
    for (const look of this.#waiting.splice(0)) look();
  }
}

/** Comparable between threads. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
