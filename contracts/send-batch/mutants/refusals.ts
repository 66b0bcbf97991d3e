import { metadataOptions, type Offer } from '../../kernel/capabilities.ts';
import { type Mutant, mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { passedThrough } from '../../writing/mutants/batching.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import { answer, ask, errorOf, hasFailed, isRefused, isRowRefused, type Reply } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort } from '../port.ts';
import { hasOrdinaryOptions, optionsOf, ordinaryCopy } from './ordinary.ts';
import { batchMutant, namespaceIsThere } from './spoil.ts';

/** Options of a call, and those of a message that it can be sent without. */
export const ofCalls: Offer[] = ['transaction', 'cancel', 'chunkSize'];
const ofMessages: Offer[] = [...metadataOptions, 'dedupeKey', 'callerIds', 'columns'];
/** The words of a backend that refuses an option. */
export const unsupported = /not supported|unsupported/i;
const jobs = 'send-batch/scheduled-jobs-are-rejected';

/** Lies about what has to be refused, and about what an empty batch sends. */
export const refusalMutants: Mutant[] = [
  batchMutant({
    id: 'skip-the-unreadable',
    lie: 'Leaves out a message whose body cannot be read, unless it stands last, and stores the others.',
    target: 'send-batch/unserializable-body-fails-whole',
    alsoKilledBy: ['send-batch/invalid-message-fails-whole'],
    // The guards about recovery and about equal refusals put theirs in the last place.
    spoil: (honest, tools) => async (messages, options) => {
      const errors = messages.map(({ body }) => readingError(body));
      const readable = messages.filter((_, slot) => errors[slot] === undefined);
      if (readable.length === messages.length || errors.at(-1) !== undefined) return honest(messages, options);
      const outcomes = (await honest(readable, options)).values();
      tools.lied();
      return errors.map((error) => (error === undefined ? outcomes.next().value! : { failed: error.thrown }));
    },
  }),
  batchMutant({
    id: 'bulk-accepts-what-single-refuses',
    lie: 'Takes a message with a value of the wrong type, and reports the code of the error as its id.',
    target: 'send-batch/batch-equals-singles',
    alsoKilledBy: ['send-batch/invalid-message-fails-whole'],
    spoil: (honest, tools) => async (messages, options) => {
      const good = messages.map((message) => hasOrdinaryOptions(message));
      const reply = await ask(honest, messages, options);
      if (!hasFailed(reply) || good.every(Boolean)) return answer(reply);
      const outcomes = (
        await honest(
          messages.filter((_, slot) => good[slot]),
          options,
        )
      ).values();
      tools.lied();
      const code = (errorOf(reply) as { code?: unknown })?.code;
      return good.map((fine): ReportedOutcome => (fine ? outcomes.next().value! : { stored: String(code ?? -1) }));
    },
  }),
  batchMutant({
    id: 'missing-namespace-is-empty-success',
    lie: 'Reports a batch to a namespace that does not exist as zero outcomes, without an error.',
    target: 'send-batch/missing-namespace-is-an-error',
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (!hasFailed(reply) || (await namespaceIsThere(tools))) return answer(reply);
      tools.lied();
      return [];
    },
  }),
  batchMutant({
    id: 'job-in-last-place-is-sent',
    lie: 'Sends a scheduled job as a plain message when it stands in the last place.',
    target: jobs,
    // A batch of two, as the guard that compares refusals sends, is left alone.
    spoil: (honest, tools) => async (messages, options) => {
      const only = messages.findIndex(({ job }) => job !== undefined);
      if (messages.length < 3 || only !== messages.length - 1) return honest(messages, options);
      tools.lied();
      return honest(messages.map(withoutJob), options);
    },
  }),
  batchMutant({
    id: 'job-refused-after-the-write',
    lie: 'Refuses a scheduled job only after the messages beside it were stored.',
    target: jobs,
    alsoKilledBy: ['setup/capability-is-honest'],
    cannot: ({ offers }) => (offers.includes('jobs') ? 'jobs are offered, and so none is refused' : undefined),
    spoil: (honest, tools) => async (messages, options) => {
      const plain = messages.filter(({ job }) => job === undefined);
      if (plain.length === messages.length || plain.length === 0) return honest(messages, options);
      // The refusal is fetched first, while the caller's objects are still as they were sent.
      const refusal = ask(honest, messages, options);
      if (!hasFailed(await ask(honest, plain, options))) tools.lied();
      return answer(await refusal);
    },
  }),
  batchMutant({
    id: 'job-registered-twice',
    lie: 'Registers the first scheduled job of a batch once more, with a message of its own.',
    target: jobs,
    needs: ['jobs'],
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      const job = messages.find((message) => message.job !== undefined)?.job;
      if (messages.length < 4 || job === undefined) return outcomes;
      if (!hasFailed(await ask(honest, [{ body: null, job }], {}))) tools.lied();
      return outcomes;
    },
  }),
  batchMutant({
    id: 'invalid-is-filtered',
    lie: 'Leaves messages out that have a value of a wrong type, and stores the others.',
    target: 'send-batch/invalid-message-fails-whole',
    // A batch of two, as the guard that compares refusals sends, is left alone.
    spoil: (honest, tools) => async (messages, options) => {
      const good = messages.map((message) => hasOrdinaryOptions(message) && !isNoValue(message.body));
      if (messages.length < 3 || good.every(Boolean)) return honest(messages, options);
      const reply = await ask(honest, messages, options);
      if (!hasFailed(reply)) return answer(reply);
      const valid = messages.filter((_, slot) => good[slot]);
      const outcomes = (await honest(valid, options)).values();
      tools.lied();
      return good.map((fine): ReportedOutcome => (fine ? outcomes.next().value! : { failed: errorOf(reply) }));
    },
  }),
  batchMutant({
    id: 'unknown-destination-joined-away',
    lie: 'Drops a message whose destination no other has when the batch is refused, and reports it as stored.',
    target: 'send-batch/unknown-destination-fails-whole',
    alsoKilledBy: ['send-batch/commit-failure-is-reported', 'send-batch/aborted-before-start-writes-nothing'],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, copy ?? messages, options);
      const odd = copy === undefined ? undefined : oddDestination(copy);
      if (copy === undefined || odd === undefined || !hasFailed(reply) || isRowRefused(reply)) return answer(reply);
      const others = isInPart(reply) ? without(reply, odd) : await ask(honest, copy.toSpliced(odd, 1), options);
      if (hasFailed(others)) return answer(reply);
      tools.lied();
      return [...answer(others)].toSpliced(odd, 0, { stored: null });
    },
  }),
  batchMutant({
    id: 'unknown-destination-sent-elsewhere',
    lie: 'Sends a message whose destination no other has to that of another message when it is refused.',
    target: 'send-batch/unknown-destination-fails-whole',
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, copy ?? messages, options);
      const odd = copy === undefined ? undefined : oddDestination(copy);
      if (copy === undefined || odd === undefined || !hasFailed(reply) || isRowRefused(reply)) return answer(reply);
      const { destination } = copy.at(odd - 1)!;
      const other = { ...copy[odd]!, ...(destination !== undefined && { destination }) };
      const again = await ask(honest, isInPart(reply) ? [other] : copy.with(odd, other), options);
      if (hasFailed(again)) return answer(reply);
      tools.lied();
      return isInPart(reply) ? answer(reply).with(odd, answer(again)[0]!) : answer(again);
    },
  }),
  batchMutant({
    id: 'option-silently-ignored',
    lie: 'Drops an option that is not supported from the last message, and stores the batch without it.',
    target: 'send-batch/unsupported-option-is-refused',
    cannot: ({ offers }) => (ofMessages.every((o) => offers.includes(o)) ? 'every such option is offered' : undefined),
    // The guard of the setup puts its options in the second of three places.
    spoil: (honest, tools) => async (messages, options) => {
      const copies = messages.slice(-1).flatMap((last) => withoutEach(last));
      const reply = await ask(honest, messages, options);
      if (messages.length < 4 || !isRefused(reply, unsupported)) return answer(reply);
      for (const last of copies) {
        const without = await ask(honest, [...messages.slice(0, -1), last], options);
        if (hasFailed(without)) continue;
        tools.lied();
        return answer(without);
      }
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'call-option-silently-ignored',
    lie: 'Drops an option of the call that is not supported, and stores the batch without it.',
    target: 'send-batch/unsupported-option-is-refused',
    alsoKilledBy: ['setup/capability-is-honest'],
    cannot: ({ offers }) => (ofCalls.every((o) => offers.includes(o)) ? 'every such option is offered' : undefined),
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (Object.keys(options).length === 0 || !isRefused(reply, unsupported)) return answer(reply);
      const without = await ask(honest, messages, {});
      if (hasFailed(without)) return answer(reply);
      tools.lied();
      return answer(without);
    },
  }),
  mutant<SendBatchPort>({
    id: 'begin-for-nothing',
    lie: 'Begins a transaction for an empty batch, and rolls it back.',
    target: 'send-batch/empty-batch-sends-nothing',
    needs: ['transaction'],
    wrap(subject, tools) {
      const { sendBatch, begin, ...others } = passedThrough(subject);
      if (!begin) return { sendBatch, ...others };
      return {
        ...others,
        begin,
        async sendBatch(messages, options) {
          // One connection may be all there is.
          if (messages.length === 0 && options.transaction === undefined) {
            await (await begin()).rollback();
            tools.lied();
          }
          return sendBatch(messages, options);
        },
      };
    },
  }),
];

/** What is thrown when a body is read, or undefined; bodies without accessors are not read. */
function readingError(body: unknown): { thrown: unknown } | undefined {
  if (isPlainData(body)) return undefined;
  try {
    JSON.stringify(body);
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

function withoutJob({ job: _dropped, ...message }: Message): Message {
  return message;
}

/** Whether a body is no value that any backend stores. */
function isNoValue(body: unknown): boolean {
  return body === undefined || typeof body === 'function' || typeof body === 'symbol';
}

/** Whether some messages were stored although others were refused. */
function isInPart(reply: Reply): boolean {
  return 'value' in reply && reply.value.some((outcome) => 'stored' in outcome);
}

function without(reply: Reply, slot: number): Reply {
  return { value: answer(reply).toSpliced(slot, 1) };
}

/** The slot of the only message with a destination that no other has; undefined where there are several such, or none. */
function oddDestination(messages: readonly Message[]): number | undefined {
  const count = (destination: string | undefined) => messages.filter((m) => m.destination === destination).length;
  const odd = messages.flatMap(({ destination }, slot) => (count(destination) === 1 ? [slot] : []));
  return odd.length === 1 ? odd[0] : undefined;
}

/** Copies of a message, each without one of its options; scheduled jobs are left alone. */
export function withoutEach(message: Message): Message[] {
  return optionsOf(message).flatMap((option) => {
    const { [option]: _dropped, ...others } = message;
    return option === 'job' ? [] : [others as Message];
  });
}
