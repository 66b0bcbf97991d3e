import type { Message } from './framer.ts';
import { code, Fields, readError } from './messages.ts';
import { Names, statementOf, unknownStatement, unknownText } from './names.ts';
import { splitStatements } from './sql.ts';
import type { Carrier, Running, Statement } from './statement.ts';
import { type Listener, type Problem, Statements } from './statements.ts';

interface Simple {
  what: 'simple';
  carrier: Carrier;
  /** The statements that have not begun; null where nobody was listening when the query was sent. */
  texts: string[] | null;
  statement?: Running | undefined;
}

/** Something that the client sent and that the server has not answered yet. */
type Expected =
  | Simple
  | { what: 'start-up' | 'sync' | 'copy-done' | 'describe' | 'close' }
  | { what: 'parse' | 'bind'; prepared: Statement }
  | { what: 'execute'; prepared: Statement; statement: Running }
  | { what: 'function'; statement: Running };

const endsWithReady: ReadonlySet<Expected['what']> = new Set(['start-up', 'sync', 'simple', 'function']);

/**
 * Follows what a client and a server say to each other on one connection, and which reply answers which statement.
 *
 * Replies come in the order of the requests, so requests wait in a queue. Messages have to be told in the order in which
 * they pass. Whatever comes is taken: what does not fit is ignored, and the next ReadyForQuery puts the queue right.
 */
export class Conversation {
  /** Of this connection, numbered from 1 for each tap. */
  readonly number: number;
  /**
   * Flights of the client to which the server has to answer before the client can know more.
   *
   * A flight begins, and is counted, with a request while nothing is outstanding; it ends when nothing is outstanding any
   * more, or when the server asks for COPY data. So a simple query is one, Parse to Sync is one, a pipeline sent without
   * waiting is one however many Syncs it has, each Execute with Flush of a cursor is one, COPY FROM STDIN is two, and a
   * start-up is one.
   */
  roundTrips = 0;
  readonly #statements: Statements;
  readonly #names = new Names();
  readonly #expected: Expected[] = [];
  #flying = false;
  /** After an error in an extended query the server ignores everything up to the next Sync. */
  #skipping = false;
  /** What the bytes of the client's last message belong to. */
  #carrier: Carrier | undefined;
  /** The statement that the server takes COPY data for. */
  #copying: Running | undefined;
  #copiedIn = 0;
  #copiedOut = 0;

  constructor(number: number, listener: Listener) {
    this.number = number;
    this.#statements = new Statements(number, listener);
    this.#expect({ what: 'start-up' });
  }

  /** Inside a statement, or inside a transaction that was begun by a statement. */
  get inFlight(): boolean {
    return this.#statements.inTransaction || this.running !== undefined;
  }

  /** The statement whose reply comes next. */
  get running(): Running | undefined {
    for (const expected of this.#expected) {
      if ('statement' in expected && expected.statement && !expected.statement.ended) return expected.statement;
    }
    return undefined;
  }

  /** The number of the transaction that the running statement belongs to. */
  get transaction(): number {
    return this.#statements.transaction;
  }

  /** Inside a transaction that was begun by a statement, as far as the server has answered. */
  get inTransaction(): boolean {
    return this.#statements.inTransaction;
  }

  /** The server has answered everything. */
  get idle(): boolean {
    return this.#expected.length === 0;
  }

  /** ReadyForQuery messages that the server owes: one for each query, function call and Sync, and for the start-up. */
  get awaited(): number {
    return this.#expected.filter(({ what }) => endsWithReady.has(what)).length;
  }

  /** The texts of the statements that a message of the client's runs, before it is told. */
  runBy({ type, body }: Message): string[] {
    if (type === code('Q')) return splitStatements(new Fields(body).text());
    if (type === code('E')) return [this.#names.portal(new Fields(body).text()).prepared.sql];
    return type === code('F') ? [unknownText] : [];
  }

  /** What carries the bytes of the client's last message, or of the COPY data after it. */
  get carrier(): Carrier | undefined {
    return this.#carrier ?? this.#copying;
  }

  /** A message of the client is about to be passed on. */
  fromClient({ type, body, copied }: Message): void {
    this.#carrier = undefined;
    const fields = new Fields(body);
    switch (type) {
      case code('Q'):
        this.#copiedIn = copied;
        this.#query(fields.text());
        break;
      case code('P'):
        this.#parse(fields.text(), fields.text());
        break;
      case code('B'):
        this.#bind(body);
        break;
      case code('E'):
        this.#copiedIn = copied;
        this.#execute(fields.text());
        break;
      case code('F'):
        this.#call(`function call ${fields.int32()}`);
        break;
      case code('D'):
        this.#expect({ what: 'describe' });
        break;
      case code('C'):
        this.#names.close(fields.byte() === code('S') ? 'statement' : 'portal', fields.text());
        this.#expect({ what: 'close' });
        break;
      case code('c'):
      case code('f'):
        this.#copyInEnds(copied);
        break;
      case code('S'):
        // While it takes COPY data the server ignores a Sync.
        if (this.#copying) break;
        this.#skipping = false;
        this.#expect({ what: 'sync' });
        break;
    }
  }

  /** A message of the server has come. Returns whether a statement has ended. */
  fromServer({ type, body, copied }: Message): boolean {
    switch (type) {
      case code('1'):
        return this.#answered('parse');
      case code('2'):
        return this.#answered('bind');
      case code('3'):
        return this.#answered('close');
      case code('T'):
      case code('n'):
        return this.#answered('describe');
      case code('C'):
        return this.#complete(new Fields(body).text());
      case code('I'):
      case code('s'):
      case code('V'):
        return this.#complete('');
      case code('E'):
        return this.#error(readError(body));
      case code('G'):
        return this.#copyInBegins();
      case code('H'):
        return this.#copyOutBegins(copied);
      case code('c'):
        return this.#copyOutEnds(copied);
      case code('Z'):
        return this.#ready(body[0] === code('I'));
      default:
        return false;
    }
  }

  /** The connection has ended; what still runs has failed. */
  end(): void {
    for (const expected of this.#expected.splice(0)) {
      if ('statement' in expected && expected.statement) this.#statements.fail(expected.statement, gone);
    }
    this.#statements.boundary(true);
    this.#copying = undefined;
  }

  #query(text: string): void {
    const simple: Simple = {
      what: 'simple',
      carrier: { marks: new Set() },
      texts: this.#statements.listening ? splitStatements(text) : null,
    };
    this.#carrier = simple.carrier;
    this.#beginNextOf(simple);
    this.#expect(simple);
  }

  #beginNextOf(simple: Simple): void {
    const text = simple.texts?.shift();
    if (text === undefined) simple.statement = undefined;
    else simple.statement = this.#statements.begin({ ...statementOf(text), marks: simple.carrier.marks });
  }

  #parse(name: string, text: string): void {
    const prepared = this.#names.parse(name, text);
    this.#carrier = prepared;
    this.#expect({ what: 'parse', prepared });
  }

  #bind(body: Buffer): void {
    const portal = this.#names.bind(body, this.#statements.listening);
    this.#carrier = portal;
    this.#expect({ what: 'bind', prepared: portal.prepared });
  }

  #execute(name: string): void {
    const { prepared, marks, parameters } = this.#names.portal(name);
    const carried = new Set([...prepared.marks, ...marks]);
    const statement = this.#statements.begin({ ...prepared, marks: carried }, parameters);
    this.#carrier = statement;
    this.#expect({ what: 'execute', prepared, statement });
  }

  #call(text: string): void {
    const statement = this.#statements.begin(unknownStatement(text));
    this.#carrier = statement;
    this.#expect({ what: 'function', statement });
  }

  #expect(expected: Expected): void {
    if (this.#skipping) {
      if ('statement' in expected && expected.statement) this.#statements.fail(expected.statement, skipped);
      return;
    }
    this.#takeOff();
    this.#expected.push(expected);
  }

  #takeOff(): void {
    if (!this.#flying) this.roundTrips += 1;
    this.#flying = true;
  }

  #answered(what: Expected['what']): false {
    if (this.#expected[0]?.what === what) this.#expected.shift();
    this.#landed();
    return false;
  }

  /** Takes what stands before the first of `whats` out of the queue, and returns that first one. */
  #advanceTo(...whats: Expected['what'][]): Expected | undefined {
    const index = this.#expected.findIndex(({ what }) => whats.includes(what));
    if (index > 0) this.#expected.splice(0, index);
    return index === -1 ? undefined : this.#expected[0];
  }

  #landed(): void {
    if (this.#expected.length === 0) this.#flying = false;
  }

  #complete(tag: string): boolean {
    const head = this.#advanceTo('execute', 'simple', 'function');
    if (!head || !('statement' in head || head.what === 'simple')) return false;
    let { statement } = head;
    // More statements than the part of the text that was kept showed.
    if (!statement && head.what === 'simple' && head.texts && tag !== '') {
      statement = this.#statements.begin({ ...unknownStatement('…'), marks: head.carrier.marks });
    }
    if (statement) this.#statements.succeed(statement, tag);
    if (head.what === 'simple') this.#beginNextOf(head);
    // A simple query and a function call are over with their ReadyForQuery.
    if (head.what === 'execute') this.#answered('execute');
    return statement !== undefined;
  }

  #error(problem: Problem): boolean {
    this.#copying = undefined;
    const head = this.#expected[0];
    if (!head || head.what === 'start-up') return false;
    if (head.what === 'simple' || head.what === 'function') return this.#failQuery(head, problem);
    // The commit of an implicit transaction happens at the Sync.
    if (head.what === 'sync') return this.#statements.failLast(problem);
    return this.#failPipeline(problem);
  }

  #failQuery(head: Simple | Extract<Expected, { what: 'function' }>, problem: Problem): boolean {
    const { statement } = head;
    if (statement) this.#statements.fail(statement, problem);
    if (head.what === 'simple') {
      head.texts = null;
      head.statement = undefined;
    }
    if (this.#expected[1]?.what === 'copy-done') this.#expected.splice(1, 1);
    return statement !== undefined;
  }

  /** One step of an extended query has failed: the others up to the Sync are skipped. */
  #failPipeline(problem: Problem): boolean {
    const sync = this.#expected.findIndex(({ what }) => what === 'sync');
    const steps = this.#expected.splice(0, sync === -1 ? this.#expected.length : sync);
    this.#skipping = sync === -1;
    const first = steps[0]!;
    const runs = steps.filter((step) => step.what === 'execute');
    // What fails while it is parsed or bound is never executed; if it was not even asked for, it is a statement all the same.
    let culprit = first.what === 'execute' ? first.statement : undefined;
    if (first.what === 'parse' || first.what === 'bind') {
      culprit =
        runs.find(({ prepared }) => prepared === first.prepared)?.statement ?? this.#statements.begin(first.prepared);
    }
    culprit ??= runs[0]?.statement;
    for (const { statement } of runs) this.#statements.fail(statement, statement === culprit ? problem : skipped);
    if (culprit && !culprit.ended) this.#statements.fail(culprit, problem);
    this.#landed();
    return culprit !== undefined;
  }

  #copyInBegins(): false {
    const head = this.#advanceTo('execute', 'simple');
    if (!head) return false;
    if ('statement' in head && head.statement) head.statement.seen.kind = 'write';
    const done = this.#expected.findIndex(({ what }) => what === 'copy-done');
    const sent = this.#expected.splice(0, done === -1 ? this.#expected.length : done + 1);
    // The Syncs that reach the server while it takes the data are ignored there.
    this.#expected.unshift(...sent.filter(({ what }) => what !== 'sync' && what !== 'copy-done'));
    if (done !== -1) return false;
    this.#copying = 'statement' in head ? head.statement : undefined;
    this.#flying = false;
    return false;
  }

  #copyInEnds(copied: number): void {
    const { running } = this;
    if (!running) return;
    running.seen.copied = copied - this.#copiedIn;
    this.#copiedIn = copied;
    this.#takeOff();
    // A client that does not wait for the server's word sends the data and the end of it blindly.
    if (!this.#copying) this.#expect({ what: 'copy-done' });
    this.#copying = undefined;
  }

  #copyOutBegins(copied: number): false {
    this.#copiedOut = copied;
    const { running } = this;
    if (running) running.seen.kind = 'read';
    return false;
  }

  #copyOutEnds(copied: number): false {
    const { running } = this;
    if (running) running.seen.copied = copied - this.#copiedOut;
    return false;
  }

  #ready(idle: boolean): false {
    const index = this.#expected.findIndex(({ what }) => endsWithReady.has(what));
    // What has had no reply until now gets none any more.
    for (const expected of this.#expected.splice(0, index === -1 ? this.#expected.length : index + 1)) {
      if ('statement' in expected && expected.statement && !expected.statement.ended) {
        this.#statements.fail(expected.statement, noReply);
      }
    }
    this.#skipping = false;
    this.#copying = undefined;
    this.#statements.boundary(idle);
    this.#landed();
    return false;
  }
}

const gone: Problem = { sqlstate: '', message: 'the connection ended before the reply' };
const skipped: Problem = { sqlstate: '', message: 'skipped by the server after the error before it' };
const noReply: Problem = { sqlstate: '', message: 'the server sent no reply to it' };
