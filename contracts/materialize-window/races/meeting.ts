import { failureText } from '../../kernel/checks.ts';
import type { OtherTransaction } from '../../kernel/engine.ts';
import { type Bench, type Rig, Vacuous, Violation } from '../../kernel/guard.ts';
import { failureChain, type Settled } from '../../kernel/outcome.ts';
import { count } from '../../kernel/print.ts';
import { materialize, materializeWindow, whatIsWrong } from '../calls.ts';
import type { Member } from '../parent/scene.ts';
import type { Window, WindowResult } from '../port.ts';

/** Calls the subject: with the whole window, or with its first slot alone, whose result is that of a window of one. */
export async function asked(bench: Bench, rig: Rig, member: Member, window: Window): Promise<Settled<unknown>> {
  if (member === 'bulk') return materializeWindow(bench, rig, window);
  const { slots, ...expected } = window;
  const settled = await materialize(rig, { ...expected, slot: slots[0]! });
  if ('threw' in settled || typeof settled.value !== 'object' || settled.value === null) return settled;
  const { outcome, ...standing } = settled.value as { outcome?: unknown };
  return { value: { outcomes: [outcome], ...standing } };
}

/** What a call was told. Throws a `Violation` when it failed or returned something else. */
export function resultOf(settled: Settled<unknown>, what: string): WindowResult {
  if ('threw' in settled) throw new Violation(`${what} failed: ${failureText(settled.threw)}`);
  const wrong = whatIsWrong(settled.value);
  if (wrong) throw new Violation(`${what} returned ${wrong}`);
  return settled.value as WindowResult;
}

/** Whether a call failed, and says itself that it is worth another try. */
export function isRetryable(settled: Settled<unknown>): boolean {
  return 'threw' in settled && failureChain(settled.threw).some(({ retryable }) => retryable === true);
}

/** Runs a statement of the backend's in a transaction of another session; the guard has nothing to say unless it changes one row. */
export async function changesOne(
  transaction: OtherTransaction,
  name: string,
  statement: string,
  parameters: readonly string[],
): Promise<void> {
  const rows = await transaction.run(statement, parameters).catch((error: unknown) => {
    throw new Vacuous(`the statement ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (rows !== 1) throw new Vacuous(`the statement ${name} changed ${count(rows, 'rows')}, not 1`);
}

/** Makes a call, and ends the other session's transaction when the call is seen to wait; tells whether it was. */
export async function meeting<T>(
  transaction: OtherTransaction,
  end: 'commit' | 'rollback',
  call: () => Promise<T>,
): Promise<{ came: T; waited: boolean }> {
  let settled = false;
  const calling = call().finally(() => {
    settled = true;
  });
  await Promise.race([transaction.waiting(1), calling.catch(() => {})]);
  const waited = !settled;
  await transaction[end]();
  return { came: await calling, waited };
}
