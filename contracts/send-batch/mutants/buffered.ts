import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message, SendBatchPort } from '../port.ts';
import { answer, ask, hasFailed, passedThrough, type Reply } from './spoil.ts';

/** Messages that a buffer holds. */
const room = 1000;
/** Milliseconds for which a flush goes on, so that something can be accepted meanwhile. */
const takes = 20;

/** Lies of a buffer in front of the batch call. */
export const bufferMutants: Mutant[] = [
  bufferLie({
    id: 'flush-forgets-the-overflow',
    lie: `Forgets at a flush what was accepted beyond ${room} messages.`,
    target: 'send-batch/flush-covers-everything-accepted',
    flush: async (buffer, write, lied) => {
      const taken = buffer.messages.splice(0);
      if (taken.length > room) lied();
      return written(buffer, taken.slice(0, room), write);
    },
  }),
  bufferLie({
    id: 'buffer-replaced-after-the-write',
    lie: 'Empties the buffer when a flush is through, with what was accepted during it.',
    target: 'send-batch/sent-during-flush-is-kept',
    flush: async (buffer, write, lied) => {
      const taken = [...buffer.messages];
      const reply = await write(taken);
      if (hasFailed(reply)) return answer(reply);
      if (buffer.messages.length > taken.length) lied();
      buffer.messages = [];
      return answer(reply);
    },
  }),
  bufferLie({
    id: 'buffer-cleared-before-the-write',
    lie: 'Empties the buffer before a flush writes, so that one that fails has lost everything.',
    target: 'send-batch/failed-flush-is-told-and-kept',
    flush: async (buffer, write, lied) => {
      const reply = await write(buffer.messages.splice(0));
      if (hasFailed(reply)) lied();
      return answer(reply);
    },
  }),
  bufferLie({
    id: 'buffer-not-emptied',
    lie: 'Leaves in the buffer what a flush has written, so that the next one writes it again.',
    target: 'send-batch/flush-writes-once',
    // Both flush a second time.
    alsoKilledBy: ['send-batch/sent-during-flush-is-kept'],
    flush: async (buffer, write, lied) => {
      if (buffer.flushed) lied();
      buffer.flushed = true;
      return answer(await write([...buffer.messages]));
    },
  }),
];

interface Buffered {
  messages: Message[];
  flushed?: boolean;
}

type Write = (messages: readonly Message[]) => Promise<Reply>;

/** What a flush that is not spoiled does with what it has taken. */
async function written(buffer: Buffered, taken: Message[], write: Write): Promise<readonly ReportedOutcome[]> {
  const reply = await write(taken);
  if (hasFailed(reply)) buffer.messages.unshift(...taken);
  return answer(reply);
}

/** A buffer of the mutant's own in the place of the subject's; one flush comes after the other. */
function bufferLie(
  m: Pick<Mutant, 'id' | 'lie' | 'target'> &
    Partial<Pick<Mutant, 'alsoKilledBy'>> & {
      flush(buffer: Buffered, write: Write, lied: () => void): Promise<readonly ReportedOutcome[]>;
    },
): Mutant {
  const { flush, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      if (!honest.accept || !honest.flush) return honest;
      const buffer: Buffered = { messages: [] };
      let last: Promise<unknown> = Promise.resolve();
      const write: Write = async (messages) => {
        await new Promise((resolve) => tools.later(() => resolve(undefined), takes));
        if (messages.length === 0) return { value: [] };
        return ask(async (batch, options) => honest.sendBatch(batch, options), messages, {});
      };
      return {
        ...honest,
        accept: (messages) => {
          buffer.messages.push(...structuredClone(messages));
        },
        flush: () => {
          const flushing = last.then(() => flush(buffer, write, tools.lied));
          last = flushing.catch(() => {});
          return flushing;
        },
      };
    },
  });
}
