import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message } from '../port.ts';
import { hasOrdinaryOptions, isPlainData } from './ordinary.ts';
import { answer, ask, batchMutant, errorOf, hasFailed, namespaceIsThere } from './spoil.ts';

const jobs = 'send-batch/scheduled-jobs-are-rejected';

/** Lies about what has to be refused, and about the batch that holds nothing. */
export const refusalMutants: Mutant[] = [
  batchMutant({
    id: 'skip-the-unreadable',
    lie: 'Leaves out a message whose body cannot be read, unless it stands last, and stores the others.',
    target: 'send-batch/unserializable-body-fails-whole',
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
    id: 'empty-batch-throws',
    lie: 'Throws when a batch is empty.',
    target: 'send-batch/empty-batch',
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.length > 0) return honest(messages, options);
      tools.lied();
      throw new Error('syntax error at or near ";"');
    },
  }),
  batchMutant({
    id: 'empty-batch-never-settles',
    timeout: 5000,
    lie: 'Never settles when a batch is empty.',
    target: 'send-batch/empty-batch',
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.length > 0) return honest(messages, options);
      tools.lied();
      return new Promise(() => {});
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
