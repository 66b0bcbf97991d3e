import type { Mutant, MutantTools } from '../../kernel/mutant.ts';
import { answer, ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message } from '../port.ts';
import { batchMutant, messageMutant } from './spoil.ts';

const exact = 'send-batch/time-is-exact';
const clock = 'send-batch/clock-is-the-declared-one';

/** Lies about instants. */
export const timeMutants: Mutant[] = [
  messageMutant({
    id: 'drops-milliseconds',
    lie: 'Keeps delays and expirations to the second.',
    target: exact,
    change: () => (message) => withTimes(message, (time) => Math.floor(time / 1000) * 1000),
  }),
  messageMutant({
    id: 'wall-clock-time',
    lie: 'Adds a delay to the time on the wall, which jumps when the clocks are changed.',
    target: exact,
    // As soon as its messages expire beyond such a change.
    alsoKilledBy: [clock],
    needs: ['ownProcess'],
    change: () => (message) =>
      withTimes(message, (time) => {
        const now = Date.now();
        const jump = new Date(now + time).getTimezoneOffset() - new Date(now).getTimezoneOffset();
        return time + jump * 60_000;
      }),
  }),
  messageMutant({
    id: 'delay-wraps-at-2-31',
    lie: 'Keeps a delay in 31 bits of milliseconds, which end after 24.8 days.',
    target: exact,
    change: () => (message) =>
      message.delay === undefined || message.delay < 2 ** 31 ? message : { ...message, delay: message.delay % 2 ** 31 },
  }),
  batchMutant({
    id: 'another-clock-in-batch',
    lie: 'Stamps the rows of a batch by a clock that differs from the declared one by as much as the process clock was moved.',
    target: clock,
    spoil: (honest, tools) => async (messages, options) => {
      // The system's clock as the process saw it start, which nobody moves.
      const ahead = Math.round(Date.now() - (performance.timeOrigin + performance.now()));
      const reply = await ask(honest, messages, options);
      if (Math.abs(ahead) < 60_000 || hasFailed(reply)) return answer(reply);
      await moveBack(tools, ahead);
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'created-in-local-time',
    lie: 'Stamps the rows of a batch with the time on the wall of its process, as if that were universal time.',
    target: clock,
    needs: ['ownProcess'],
    spoil: (honest, tools) => async (messages, options) => {
      const behind = new Date().getTimezoneOffset() * 60_000;
      const reply = await ask(honest, messages, options);
      if (behind === 0 || hasFailed(reply)) return answer(reply);
      await moveBack(tools, behind, /created/i);
      return answer(reply);
    },
  }),
];

/** Moves the instants that are stored, in columns of these names, so many milliseconds back. */
async function moveBack(tools: MutantTools, milliseconds: number, columns = /./): Promise<void> {
  await tools.hand.edit((row) => {
    for (const [column, value] of Object.entries(row)) {
      const earlier = columns.test(column) ? movedBack(value, milliseconds) : undefined;
      if (earlier === undefined) continue;
      row[column] = earlier;
      tools.lied();
    }
  });
}

/** An instant of this year as it was stored, so many milliseconds earlier; undefined for anything else. */
function movedBack(value: unknown, milliseconds: number): number | bigint | string | undefined {
  const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/.test(value);
  const time = isDate
    ? Date.parse(value)
    : typeof value === 'number' || typeof value === 'bigint'
      ? Number(value)
      : NaN;
  if (!(Math.abs(time - Date.now()) < 200 * 86_400_000)) return undefined;
  const earlier = time - milliseconds;
  if (isDate) return new Date(earlier).toISOString();
  return typeof value === 'bigint' ? value - BigInt(milliseconds) : earlier;
}

/** The message with its delay and expiration changed; the message itself where that changes nothing. */
function withTimes(message: Message, change: (time: number) => number): Message {
  const changed = { ...message };
  for (const option of ['delay', 'expiration'] as const) {
    if (changed[option] !== undefined) changed[option] = change(changed[option]);
  }
  return changed.delay === message.delay && changed.expiration === message.expiration ? message : changed;
}
