import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { answer, ask, hasFailed, isRefused, type Reply } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort, SendOptions } from '../port.ts';
import type { SendBatch } from './batches.ts';
import { optionsOf } from './ordinary.ts';
import { unsupported, withoutEach } from './refusals.ts';

/** Messages that a buffer holds. */
const room = 1000;
/** Milliseconds that pass before a flush writes, so that something can be accepted meanwhile. */
const takes = 5;

/** Lies of a buffer in front of the batch call. */
export const bufferMutants: Mutant[] = [
  bufferLie({
    id: 'flush-forgets-the-overflow',
    lie: `Forgets at a flush what was accepted beyond ${room} messages.`,
    target: 'send-batch/flush-covers-everything-accepted',
    cannot: ({ limits: { maxItems } }) => ((maxItems ?? room + 1) > room ? undefined : 'no batch is larger than that'),
    flush: async (buffer, write, lied) => {
      const taken = buffer.messages.splice(0);
      if (taken.length > room) lied();
      return written(buffer, taken.slice(0, room), write);
    },
  }),
  bufferLie({
    id: 'accept-keeps-the-bodies-only',
    lie: 'Puts the bodies of messages into the buffer, without their options.',
    target: 'send-batch/flush-covers-everything-accepted',
    keep: (message, lied) => {
      if (optionsOf(message).length > 0) lied();
      return { body: message.body };
    },
    flush: (buffer, write) => written(buffer, buffer.messages.splice(0), write),
  }),
  bufferLie({
    id: 'accept-keeps-the-callers-objects',
    lie: "Puts the caller's own objects into the buffer, and stores what he has made of them by then.",
    target: 'send-batch/flush-covers-everything-accepted',
    keepsObjects: true,
    flush: (buffer, write) => written(buffer, buffer.messages.splice(0), write),
  }),
  bufferLie({
    id: 'accept-drops-jobs',
    lie: 'Puts messages into the buffer without the jobs that they ask for.',
    target: 'send-batch/flush-equals-singles',
    needs: ['jobs'],
    keep: ({ job, ...message }, lied) => {
      if (job !== undefined) lied();
      return message;
    },
    flush: (buffer, write) => written(buffer, buffer.messages.splice(0), write),
  }),
  bufferLie({
    id: 'flush-tells-duplicates-last',
    lie: 'Reports the duplicates of a flush behind all that it has stored.',
    target: 'send-batch/flush-equals-singles',
    needs: ['dedupeKey'],
    cannot: ({ keyPolicy }) => (keyPolicy === 'refuse' ? 'a duplicate fails the batch' : undefined),
    flush: async (buffer, write, lied) => {
      const told = await written(buffer, buffer.messages.splice(0), write);
      const isLast = (outcome: ReportedOutcome) => Number('duplicate' in outcome);
      const sorted = told.toSorted((a, b) => isLast(a) - isLast(b));
      if (sorted.some((outcome, slot) => outcome !== told[slot])) lied();
      return sorted;
    },
  }),
  bufferLie({
    id: 'buffer-replaced-after-the-write',
    lie: 'Empties the buffer when a flush is through, with what was accepted during it.',
    target: 'send-batch/sent-during-flush-is-kept',
    flush: async (buffer, write, lied, pause) => {
      const taken = [...buffer.messages];
      await pause();
      const reply = await write(taken);
      if (hasFailed(reply)) return answer(reply);
      if (buffer.messages.length > taken.length) lied();
      buffer.messages = [];
      return answer(reply);
    },
  }),
  bufferLie({
    id: 'buffer-emptied-after-its-write',
    lie: 'Stores whatever is in the buffer when a flush writes, and empties it later, with what came since.',
    target: 'send-batch/sent-during-flush-is-kept',
    flush: async (buffer, write, lied, pause) => {
      await pause();
      const taken = [...buffer.messages];
      const reply = await write(taken);
      if (hasFailed(reply)) return answer(reply);
      await pause();
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
  mutant<SendBatchPort>({
    id: 'accept-drops-what-is-not-offered',
    lie: 'Drops what is not offered from the last message, or from the call, and buffers the batch without it.',
    target: 'send-batch/unsupported-option-is-refused',
    needs: ['buffered'],
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      return {
        ...honest,
        async accept(messages, options) {
          const reply = await offer(honest, messages, options);
          if (!isRefused(reply, unsupported)) return void answer(reply);
          for (const [batch, call] of withoutOne(messages, options)) {
            if (hasFailed(await offer(honest, batch, call))) continue;
            return tools.lied();
          }
          answer(reply);
        },
      };
    },
  }),
];

/** How the subject's own buffer takes messages. */
function offer(honest: SendBatchPort, messages: readonly Message[], options: SendOptions): Promise<Reply> {
  const accept: SendBatch = async (batch, call) => {
    await honest.accept?.(batch, call);
    return [];
  };
  return ask(accept, messages, options);
}

/** The call without its options, and the batch without an option of its last message each. */
function withoutOne(messages: readonly Message[], options: SendOptions): [readonly Message[], SendOptions][] {
  const [others, last] = [messages.slice(0, -1), messages.at(-1)!];
  const { body } = last;
  const lasts =
    body instanceof Uint8Array ? [{ ...last, body: Buffer.from(body).toString('latin1') }] : withoutEach(last);
  return [[messages, {}], ...lasts.map((other): [Message[], SendOptions] => [[...others, other], options])];
}

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
    Partial<Pick<Mutant, 'alsoKilledBy' | 'cannot' | 'needs'>> & {
      /** What is buffered are the objects of the caller, which he may change. */
      keepsObjects?: boolean;
      /** What is buffered of a message, where that is not all of it. */
      keep?(message: Message, lied: () => void): Message;
      flush(
        buffer: Buffered,
        write: Write,
        lied: () => void,
        pause: () => Promise<unknown>,
      ): Promise<readonly ReportedOutcome[]>;
    },
): Mutant {
  const { flush, keep = (message) => message, keepsObjects = false, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    wrap(subject, tools) {
      const honest = passedThrough(subject);
      if (!honest.accept || !honest.flush) return honest;
      const buffer: Buffered = { messages: [] };
      let last: Promise<unknown> = Promise.resolve();
      const pause = () => new Promise((resolve) => tools.later(() => resolve(undefined), takes));
      const write: Write = async (messages) => {
        if (messages.length === 0) return { value: [] };
        return ask(async (batch, options) => honest.sendBatch(batch, options), messages, {});
      };
      return {
        ...honest,
        async accept(messages, options) {
          const copies = structuredClone(messages);
          // The subject's own buffer, which is never flushed, says what is not offered.
          const reply = await offer(honest, messages, options);
          if (isRefused(reply, unsupported)) answer(reply);
          buffer.messages.push(...(keepsObjects ? messages : copies).map((message) => keep(message, tools.lied)));
          if (keepsObjects) tools.lied();
        },
        flush: () => {
          const flushing = last.then(() => flush(buffer, write, tools.lied, pause));
          last = flushing.catch(() => {});
          return flushing;
        },
      };
    },
  });
}
