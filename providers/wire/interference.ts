import type { Point } from '../../contracts/kernel/engine.ts';
import type { Verdict } from './flow.ts';
import { kindOf, shorten } from './sql.ts';
import type { Step } from './turns.ts';

/**
 * A point of what a subject says; before the next rollback of a whole transaction; or before the next message of a
 * transaction that may have written something, when the server has answered all before it and waits.
 */
export type Place = Point | { rollback: true } | { inside: true };

/** One connection, as far as an interference has to do with it. */
export interface Victim {
  readonly connection: number;
  /** The server's process for it, where it has told. */
  readonly process: number | undefined;
  /** Bytes that have passed, to the server and back. */
  readonly bytes: { up: number; down: number };
  /** Resolves when the client has closed its side, or the server has: nobody waits for what is held any more. */
  readonly gaveUp: Promise<void>;
  /** Enters in the recordings what was done to it. */
  note(text: string): void;
}

/** What is done to a connection at a point; what is dropped ends the connection on both sides. */
export interface Act {
  /** As it reads before "before X was sent": `cut`, `held`. */
  word: string;
  /** Whether it is about this connection; asked at the point, while what comes next is held. */
  concerns?(victim: Victim): Promise<boolean>;
  /** Holds the connection until it resolves. */
  on(victim: Victim): Promise<Verdict>;
}

/** Drops at once. */
export const cutting: Act = { word: 'cut', on: async () => 'drop' };

/** Holds until `released` resolves; what the client gives up meanwhile is dropped. */
export function holding(word: string, released: Promise<void>): Act {
  return {
    word,
    async on(victim) {
      const verdict = await Promise.race([
        released.then((): Verdict => 'pass'),
        victim.gaveUp.then((): Verdict => 'drop'),
      ]);
      victim.note(verdict === 'pass' ? 'let go of what was held' : 'dropped what was held: the connection was closed');
      return verdict;
    },
  };
}

/** One interference that is armed, and goes off once. */
export class Interference {
  /** Resolves when it goes off. */
  readonly reached: Promise<void>;
  readonly #point: Place;
  readonly #act: Act;
  readonly #reached = Promise.withResolvers<void>();
  /** Bytes that had passed on each connection when it was armed. */
  readonly #before: ReadonlyMap<number, Victim['bytes']>;
  #statements = 0;
  #passed: Victim['bytes'] | undefined;
  #ended = false;

  constructor(point: Place, act: Act, before: ReadonlyMap<number, Victim['bytes']>) {
    this.#point = point;
    this.#act = act;
    this.#before = before;
    this.reached = this.#reached.promise;
  }

  /** Bytes that had passed on its connection, since it was armed, when it went off. */
  get passed(): Victim['bytes'] | undefined {
    return this.#passed;
  }

  /** It does not go off any more. */
  end(): void {
    this.#ended = true;
  }

  /** Whether it goes off before what comes next. */
  meets({ statements, commits }: Step): boolean {
    const point = this.#point;
    this.#statements += statements.length;
    if (!this.#waits) return false;
    if ('statement' in point) return this.#statements >= point.statement;
    if ('matching' in point) return statements.some((sql) => sql.includes(point.matching));
    if ('rollback' in point) return statements.some((sql) => kindOf(sql) === 'rollback');
    return 'commit' in point && point.commit === 'before-sent' && commits;
  }

  /** Whether it goes off before what a client says inside a transaction, while the server waits. */
  get meetsInside(): boolean {
    return this.#waits && 'inside' in this.#point;
  }

  /** Whether it goes off when a commit has been sent, or has been answered. */
  meetsCommit(when: 'after-sent' | 'before-ack'): boolean {
    return this.#waits && 'commit' in this.#point && this.#point.commit === when;
  }

  /** Goes off, at `text`. */
  async strike(victim: Victim, text: string): Promise<Verdict> {
    if (this.#act.concerns && !(await this.#act.concerns(victim))) return 'pass';
    // Another connection may have been quicker.
    if (!this.#waits) return 'pass';
    const { up, down } = this.#before.get(victim.connection) ?? { up: 0, down: 0 };
    this.#passed = { up: victim.bytes.up - up, down: victim.bytes.down - down };
    victim.note(`${this.#act.word} ${placeOf(this.#point, text)}`);
    this.#reached.resolve();
    return this.#act.on(victim);
  }

  get #waits(): boolean {
    return !this.#ended && this.#passed === undefined;
  }
}

function placeOf(point: Place, text: string): string {
  if ('inside' in point) return 'before what comes next was sent';
  const quoted = `"${shorten(text, 60)}"`;
  if (!('commit' in point) || point.commit === 'before-sent') return `before ${quoted} was sent`;
  if (point.commit === 'after-sent') return `when ${quoted} had been sent`;
  return `before the answer to ${quoted} was handed back`;
}

/** The interferences with the connections of one tap. */
export class Interferences {
  readonly #armed = new Set<Interference>();

  get none(): boolean {
    return this.#armed.size === 0;
  }

  arm(interference: Interference): void {
    this.#armed.add(interference);
  }

  disarm(interference: Interference): void {
    interference.end();
    this.#armed.delete(interference);
  }

  /** Those that go off before what comes next. */
  meeting(step: Step): Interference[] {
    return [...this.#armed].filter((one) => one.meets(step));
  }

  /** Those that go off before what a client says inside a transaction, while the server waits. */
  get meetingInside(): Interference[] {
    return [...this.#armed].filter((one) => one.meetsInside);
  }

  /** Those that go off when a commit has been sent, or has been answered. */
  meetingCommit(when: 'after-sent' | 'before-ack'): Interference[] {
    return [...this.#armed].filter((one) => one.meetsCommit(when));
  }
}

/** Lets each go off, one after the other, until one drops. */
export async function strikeAll(all: readonly Interference[], victim: Victim, text: string): Promise<Verdict> {
  for (const one of all) if ((await one.strike(victim, text)) === 'drop') return 'drop';
  return 'pass';
}
