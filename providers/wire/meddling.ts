import type { Conversation } from './conversation.ts';
import type { Decision, Flow, Verdict } from './flow.ts';
import type { Message } from './framer.ts';
import { type Interference, type Interferences, strikeAll, type Victim } from './interference.ts';
import { code } from './messages.ts';
import { readTag } from './sql.ts';
import { type Step, Turns } from './turns.ts';

export interface MeddlingOptions {
  conversation: Conversation;
  up: Flow;
  down: Flow;
  interferences: Interferences;
  /** Functions that may write, in upper case. */
  functions(): ReadonlySet<string>;
  gaveUp: Promise<void>;
  note(text: string): void;
  /** Ends the connection on both sides, and passes nothing on any more: a request of the client's, or an answer. */
  cut(where: 'request' | 'answer'): void;
}

/** What interferences do to one connection: finds their points in what it says. */
export class Meddling implements Victim {
  readonly #o: MeddlingOptions;
  readonly #turns = new Turns();
  #process: number | undefined;
  /** The text that the next commit is known by. */
  #text = '';
  /** ReadyForQuery messages that have come, and those that have been handed back. */
  #came = 0;
  #handedBack = 0;
  /** Since the last of them: whether the server has refused something. */
  #refused = false;
  /** The answer to a commit: what comes after so many ReadyForQuery messages is handed back by the verdict only. */
  #withheld: { after: number; verdict: Promise<Verdict> } | undefined;
  #awaited: { count: number; resolve(carriedOut: boolean): void } | undefined;

  constructor(options: MeddlingOptions) {
    this.#o = options;
  }

  get connection(): number {
    return this.#o.conversation.number;
  }

  get process(): number | undefined {
    return this.#process;
  }

  get bytes(): Victim['bytes'] {
    return { up: this.#o.up.bytes, down: this.#o.down.bytes };
  }

  get gaveUp(): Promise<void> {
    return this.#o.gaveUp;
  }

  note(text: string): void {
    this.#o.note(text);
  }

  /** What is done with a message of the client. */
  decideUp(message: Message): Pick<Decision, 'first' | 'after'> {
    const { interferences, conversation } = this.#o;
    if (interferences.none) {
      // Whether the client is inside a transaction, the server's next ReadyForQuery will tell.
      this.#turns.missed();
      return {};
    }
    const waits = conversation.idle && this.#turns.inside;
    const step = this.#stepOf(message);
    const meeting = [...(waits ? interferences.meetingInside : []), ...(step ? interferences.meeting(step) : [])];
    const commits = this.#turns.endsWith(message);
    const watched = (['after-sent', 'before-ack'] as const).some(
      (when) => interferences.meetingCommit(when).length > 0,
    );
    return {
      ...(meeting.length > 0 && { first: () => this.#strike(meeting, step?.statements ?? []) }),
      ...(commits && watched && { after: () => this.#sent() }),
    };
  }

  /** A message of the server has come, and the conversation has been told. */
  came({ type, body }: Message): void {
    const { conversation } = this.#o;
    if (type === code('K')) this.#process = body.readInt32BE();
    if (type === code('E')) this.#refused = true;
    // A COMMIT that is answered so has not committed.
    if (type === code('C') && readTag(body.toString('utf8', 0, 8), 'commit').kind === 'rollback') this.#refused = true;
    if (type !== code('Z')) return;
    this.#came += 1;
    if (this.#came === this.#awaited?.count) this.#awaited.resolve(!this.#refused);
    this.#refused = false;
    if (conversation.awaited === 0) this.#turns.settled(conversation.inTransaction);
  }

  /** What is done with a message of the server. */
  decideDown({ type }: Message): Pick<Decision, 'first'> {
    const withheld = this.#withheld?.after === this.#handedBack ? this.#withheld : undefined;
    if (withheld) this.#withheld = undefined;
    if (type === code('Z')) this.#handedBack += 1;
    return withheld ? { first: () => withheld.verdict } : {};
  }

  #stepOf(message: Message): Step | undefined {
    const statements = this.#o.conversation.runBy(message);
    if (statements.length === 0) return undefined;
    const step = this.#turns.runs(statements, this.#o.functions());
    if (step.commits || this.#text === '') this.#text = statements.join('; ');
    return step;
  }

  async #strike(meeting: readonly Interference[], statements: readonly string[]): Promise<Verdict> {
    const verdict = await strikeAll(meeting, this, statements.join('; '));
    if (verdict === 'drop') this.#o.cut('request');
    return verdict;
  }

  /** The last byte of a commit has been passed on. */
  #sent(): void {
    const { conversation } = this.#o;
    const count = this.#came + conversation.awaited;
    const verdict = this.#afterSending(count, this.#text);
    this.#withheld = { after: count - 1, verdict };
    verdict.then((what) => what === 'drop' && this.#o.cut('answer'));
  }

  async #afterSending(count: number, text: string): Promise<Verdict> {
    const { interferences, gaveUp } = this.#o;
    const answered = new Promise<boolean>((resolve) => {
      this.#awaited = { count, resolve };
      gaveUp.then(() => resolve(false));
    });
    if ((await strikeAll(interferences.meetingCommit('after-sent'), this, text)) === 'drop') return 'drop';
    const beforeAck = interferences.meetingCommit('before-ack');
    // A commit that was refused, or whose answer nobody waits for, is not acknowledged.
    if (beforeAck.length === 0 || !(await answered)) return 'pass';
    return strikeAll(beforeAck, this, text);
  }
}
