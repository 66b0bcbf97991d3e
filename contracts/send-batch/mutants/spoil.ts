import type { Snapshot } from '../../kernel/engine.ts';
import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message, SendBatchPort, SendOptions } from '../port.ts';

/** The batch call of a subject. */
export type SendBatch = (messages: readonly Message[], options: SendOptions) => Promise<readonly ReportedOutcome[]>;

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> &
  Partial<Pick<Mutant, 'alsoKilledBy' | 'timeout' | 'needs' | 'cannot' | 'only' | 'site'>>;

/** What a call can use that has guards of its own, and which guards those are. */
const uses: { is(messages: readonly Message[], options: SendOptions): boolean; guards: RegExp }[] = [
  { is: (_messages, { transaction }) => transaction !== undefined, guards: /held|waits-for-the-holder|unsupported/ },
  { is: (_messages, { chunkSize }) => chunkSize !== undefined, guards: /chunk-size|unsupported/ },
  { is: (messages) => messages.some(({ id }) => id !== undefined), guards: /caller-ids|conflict|falsy|unsupported/ },
];

/** Whether a call is left to the lies about what it uses. */
function isLeftToOthers(target: string, messages: readonly Message[], options: SendOptions): boolean {
  return uses.some(({ is, guards }) => !guards.test(target) && is(messages, options));
}

/**
 * A mutant that lies in the batch call only; `spoil` is called once for each subject and may keep state.
 * It is honest in a call that uses what other guards are about.
 */
export function batchMutant(m: Described & { spoil(honest: SendBatch, tools: MutantTools): SendBatch }): Mutant {
  const { spoil, ...described } = m;
  return mutant<SendBatchPort>({
    ...described,
    wrap(subject, tools) {
      const honest = honestly(subject);
      const spoiled = spoil(honest, tools);
      return {
        ...passedThrough(subject),
        sendBatch: (messages, options) =>
          (isLeftToOthers(m.target, messages, options) ? honest : spoiled)(messages, options),
      };
    },
  });
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

/** A new port with the subject's other members as they are. */
export function passedThrough(subject: SendBatchPort): SendBatchPort {
  const members = Object.entries(subject).filter(([, member]) => typeof member === 'function');
  return Object.fromEntries(members.map(([name, member]) => [name, member.bind(subject)])) as unknown as SendBatchPort;
}

/** The subject's own batch call, which begins at once and reports by a promise. */
function honestly(subject: SendBatchPort): SendBatch {
  return async (messages, options) => subject.sendBatch(messages, options);
}

/** How a call of the subject ended. */
export type Reply = { value: readonly ReportedOutcome[] } | { threw: unknown };

async function settle<T>(call: Promise<T>): Promise<{ value: T } | { threw: unknown }> {
  try {
    return { value: await call };
  } catch (threw) {
    return { threw };
  }
}

/** Calls the subject and keeps what it throws. */
export function ask(honest: SendBatch, messages: readonly Message[], options: SendOptions): Promise<Reply> {
  return settle(honest(messages, options));
}

/** Ends the mutant's call as the subject's call ended. */
export function answer(reply: Reply): readonly ReportedOutcome[] {
  if ('threw' in reply) throw reply.threw;
  return reply.value;
}

/** Stores a row that belongs to no message of a guard; whether the subject took one. */
export async function storeStranger(honest: SendBatch): Promise<boolean> {
  for (const body of [null, '', new Uint8Array()]) {
    if (!hasFailed(await ask(honest, [{ body }], {}))) return true;
  }
  return false;
}

export function hasFailed(reply: Reply): boolean {
  return 'threw' in reply || reply.value.some(isFailure);
}

/** Ends the mutant's call of `count` messages the way in which a part of it failed. */
export function failWhole(reply: Reply, count: number): readonly ReportedOutcome[] {
  if ('threw' in reply) throw reply.threw;
  return Array<ReportedOutcome>(count).fill({ failed: errorOf(reply) });
}

/** What went wrong, by a reply that has failed. */
export function errorOf(reply: Reply): unknown {
  if ('threw' in reply) return reply.threw;
  for (const outcome of reply.value) {
    if ('failed' in outcome) return outcome.failed;
    if ('unknown' in outcome) return outcome.unknown;
  }
  return new Error('nothing failed');
}

/** What went wrong, and what caused it. */
export function errorsOf(reply: Reply): Error[] {
  const errors: Error[] = [];
  for (let error = errorOf(reply); error instanceof Error && errors.length < 20; error = error.cause)
    errors.push(error);
  return errors;
}

/** Whether a call failed in these words of the engine. */
export function isRefused(reply: Reply, words: RegExp): boolean {
  return hasFailed(reply) && errorsOf(reply).some(({ message }) => words.test(message));
}

/** Whether the engine refused a row; lies about that are told of no other failure, such as a lost connection. */
export function isRowRefused(reply: Reply): boolean {
  return isRefused(reply, /^refused by/);
}

function isFailure(outcome: ReportedOutcome): boolean {
  return 'failed' in outcome || 'unknown' in outcome;
}

/** Whether the engine holds any table of the lease. */
export async function namespaceIsThere(tools: MutantTools): Promise<boolean> {
  // A snapshot names its tables under `tables`, or is itself a record of them.
  const snapshot = (await tools.hand.snapshot()) as Partial<Snapshot>;
  return Object.keys(snapshot.tables ?? snapshot).length > 0;
}
