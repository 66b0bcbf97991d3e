import type { CallersTransaction } from '../contracts/send-batch/port.ts';
import { encode, printInstead } from './codec.ts';
import { failureOf } from './failure.ts';
import type { Port } from './port.ts';
import { print } from './print.ts';
import type { Reply, Request } from './protocol.ts';

const steps = ['run', 'commit', 'rollback'] as const;

/** The transactions that callers of the subjects in this host have begun, by number. */
export class Transactions {
  readonly #held = new Map<number, { session: number; transaction: CallersTransaction; open: boolean }>();

  async begin(session: number, { begin }: Port): Promise<number> {
    if (!begin) throw new TypeError('the port has no member begin');
    const transaction = (await begin()) as CallersTransaction;
    const missing = whatIsMissing(transaction);
    if (missing !== undefined) throw new TypeError(`begin() must return { handle, run, commit, rollback }; ${missing}`);
    const number = this.#held.size + 1;
    this.#held.set(number, { session, transaction, open: true });
    return number;
  }

  /** What the caller hands to the subject; that of an ended transaction, too. */
  handle(number: number): unknown {
    return this.#get(number).transaction.handle;
  }

  /** Runs a statement of the caller's own, or ends the transaction; never rejects for what that throws. */
  async step(request: Extract<Request, { do: 'transact' }>): Promise<Reply> {
    const { id } = request;
    const held = this.#get(request.transaction);
    if (request.step !== 'run') held.open = false;
    try {
      const { transaction } = held;
      const value = await (request.step === 'run' ? transaction.run(request.statement) : transaction[request.step]());
      return { id, value: encode(value, printInstead) };
    } catch (error) {
      return { id, threw: failureOf(error) };
    }
  }

  /** Rolls back what a session has left open; a transaction that is broken may refuse that. */
  async rollBack(session: number): Promise<void> {
    for (const held of this.#held.values()) {
      if (held.session !== session || !held.open) continue;
      held.open = false;
      await (async () => held.transaction.rollback())().catch(() => {});
    }
  }

  #get(number: number) {
    const held = this.#held.get(number);
    if (!held) throw new Error(`transaction ${number} was never begun`);
    return held;
  }
}

/** In words, what keeps a value from being a transaction of a caller's. */
function whatIsMissing(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return `it returned ${print(value)}`;
  if (!('handle' in value)) return 'what it returned has no handle';
  const missing = steps.filter((step) => typeof (value as Partial<CallersTransaction>)[step] !== 'function');
  return missing.length === 0 ? undefined : `what it returned has no function ${missing.join(', ')}`;
}
