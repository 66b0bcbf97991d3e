import type { Snapshot } from '../../kernel/engine.ts';
import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import { type BatchLie, batchMutant as batchMutantOf, passedThrough } from '../../writing/mutants/batching.ts';
import { isFailure, settle } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort, SendOptions } from '../port.ts';
import { honestly, isLeftToOthers, type SendBatch, sendBatching } from './batches.ts';

type Described = Omit<BatchLie<Message>, 'spoil'>;

/**
 * A mutant that lies in the batch call only; `spoil` is called once for each subject and may keep state.
 * It is honest in a call that uses what other guards are about.
 */
export function batchMutant(m: Described & { spoil(honest: SendBatch, tools: MutantTools): SendBatch }): Mutant {
  return batchMutantOf(sendBatching, m);
}

/** A mutant that changes messages before the subject gets them, alike in the batch calls and in the single path. */
export function messageMutant(
  m: Described & {
    /** Made once for each subject. Returns the message itself where there is nothing to lie about. */
    change(): (message: Message, place: Place) => Message;
    /** Whether a call of the subject has failed, after which nothing is changed any more. */
    untilFailure?: boolean;
  },
): Mutant {
  const { change, untilFailure = false, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    wrap(subject, tools) {
      const changed = change();
      let silent = false;
      const lie = (message: Message, place: Place): Message => {
        const spoiled = silent ? message : changed(message, place);
        if (spoiled !== message) tools.lied();
        return spoiled;
      };
      const heard = async <T>(call: Promise<T>, failed: (value: T) => boolean): Promise<T> => {
        const reply = await settle(call);
        if (untilFailure && ('threw' in reply || failed(reply.value))) silent = true;
        if ('threw' in reply) throw reply.threw;
        return reply.value;
      };
      const { send, sendBatchSync } = subject;
      const lies = (messages: readonly Message[], options: SendOptions) =>
        isLeftToOthers(m.target, messages, options) ? messages : messages.map((message, slot) => lie(message, slot));
      return {
        ...passedThrough(subject),
        sendBatch: (messages, options) =>
          heard(honestly(subject)(lies(messages, options), options), (outcomes) => outcomes.some(isFailure)),
        ...(sendBatchSync && {
          sendBatchSync: (messages: readonly Message[], options: SendOptions) =>
            sendBatchSync.call(subject, lies(messages, options), options),
        }),
        ...(send && {
          send: (message: Message, options: SendOptions) =>
            heard((async () => send.call(subject, lie(message, 'single'), options))(), isFailure),
        }),
      };
    },
  });
}

/** Where a message stands: its slot in a batch, or on the single path. */
export type Place = number | 'single';

/** Whether the engine holds any table of the lease. */
export async function namespaceIsThere(tools: MutantTools): Promise<boolean> {
  // A snapshot names its tables under `tables`, or is itself a record of them.
  const snapshot = (await tools.hand.snapshot()) as Partial<Snapshot>;
  return Object.keys(snapshot.tables ?? snapshot).length > 0;
}
