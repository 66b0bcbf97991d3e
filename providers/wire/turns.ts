import type { Message } from './framer.ts';
import { code } from './messages.ts';
import { copiesIn, kindOf, mayWrite } from './sql.ts';

/** What a message of the client's begins. */
export interface Step {
  /** The texts of the statements that it runs. */
  statements: readonly string[];
  /** What it runs is committed by it, or by the Sync after it; or it commits what ran before. */
  commits: boolean;
}

/**
 * Follows where a client's turns end, and which of them commit something: a turn is a simple query, with its COPY data,
 * or the messages up to a Sync.
 *
 * A client may send ahead. So whether it is inside a transaction is told by what it has sent, until everything has been
 * answered and the server's word stands.
 */
export class Turns {
  #open = false;
  /** Something may have been written that is not committed yet. */
  #wrote = false;
  /** The present turn holds a COMMIT of something. */
  #committed = false;
  /** The present turn takes COPY data, whose end has not come. */
  #copies = false;
  #extended = false;

  /** Inside a transaction that may have written something. */
  get inside(): boolean {
    return this.#open && this.#wrote;
  }

  /** A message that runs statements is to be passed on; `functions` are those that may write. */
  runs(statements: readonly string[], functions: ReadonlySet<string>): Step {
    for (const sql of statements) this.#run(sql, functions);
    return { statements, commits: this.#commits };
  }

  /** A message is passed on. When the turn ends with it: whether the turn commits something. */
  endsWith({ type }: Message): boolean | undefined {
    if (type === code('c')) {
      const simple = this.#copies && !this.#extended;
      this.#copies = false;
      return simple ? this.#end() : undefined;
    }
    if (type === code('E')) this.#extended = true;
    if (type === code('Q')) this.#extended = false;
    const last = type === code('Q') || type === code('S') || type === code('F');
    return last && !this.#copies ? this.#end() : undefined;
  }

  /** Something is passed on that nobody has looked at; it may be a write. */
  missed(): void {
    this.#wrote = true;
  }

  /** Everything has been answered. */
  settled(inTransaction: boolean): void {
    this.#open = inTransaction;
    this.#copies = false;
    if (!inTransaction) this.#wrote = false;
  }

  get #commits(): boolean {
    return this.#committed || (!this.#open && this.#wrote);
  }

  #run(sql: string, functions: ReadonlySet<string>): void {
    const kind = kindOf(sql);
    if (kind === 'commit') this.#committed ||= this.#open && this.#wrote;
    if (kind === 'begin') this.#open = true;
    else if (kind === 'commit' || kind === 'rollback') this.#open = this.#wrote = false;
    else this.#wrote ||= mayWrite(sql, functions);
    this.#copies ||= copiesIn(sql);
  }

  #end(): boolean {
    const commits = this.#commits;
    this.#committed = false;
    if (!this.#open) this.#wrote = false;
    return commits;
  }
}
