import type { Mutant } from '../../kernel/mutant.ts';
import type { SendOptions } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, failWhole, hasFailed, type Reply, type SendBatch } from './spoil.ts';

const takesEffect = 'send-batch/abort-takes-effect';
const beforeStart = 'send-batch/aborted-before-start-writes-nothing';
const wholeOrNone = 'send-batch/cancelled-is-all-or-nothing';
const usable = 'send-batch/usable-after-abort';

/** Lies about calls that are aborted. */
export const cancellingMutants: Mutant[] = [
  batchMutant({
    id: 'signal-ignored',
    lie: 'Takes no notice of the signal of a call.',
    target: takesEffect,
    alsoKilledBy: [beforeStart],
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, withoutSignal(options));
      if (options.signal?.aborted) tools.lied();
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'signal-read-before-chunk-zero-only',
    lie: 'Looks whether a call is aborted when it begins, and never again.',
    target: takesEffect,
    spoil: (honest, tools) => async (messages, options) => {
      if (options.signal?.aborted) return honest(messages, options);
      const reply = await ask(honest, messages, withoutSignal(options));
      if (options.signal?.aborted) tools.lied();
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'settles-when-the-engine-lets-go',
    lie: 'Undoes an aborted batch and reports it as failed, but only when the engine has answered.',
    target: takesEffect,
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || !options.signal || options.signal.aborted) return honest(messages, options);
      const before = await tools.hand.snapshot();
      const reply = await ask(honest, copy, withoutSignal(options));
      if (!options.signal.aborted) return answer(reply);
      tools.lied();
      await tools.hand.restore(before);
      return answer(await abortedBefore(honest, copy, options));
    },
  }),
  batchMutant({
    id: 'abort-between-chunks-keeps-the-first',
    lie: 'Commits a batch that can be aborted in two halves; of one that is aborted in between the first stays.',
    target: wholeOrNone,
    alsoKilledBy: [takesEffect],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || copy.length < 2 || !options.signal || options.signal.aborted) {
        return honest(copy ?? messages, options);
      }
      const half = Math.ceil(copy.length / 2);
      // What was begun is committed; the signal is looked at between the halves.
      const first = await ask(honest, copy.slice(0, half), withoutSignal(options));
      if (hasFailed(first)) return failWhole(first, copy.length);
      if (options.signal.aborted) tools.lied();
      const second = await ask(honest, copy.slice(half), options);
      if (hasFailed(second)) return failWhole(second, copy.length);
      return [...answer(first), ...answer(second)];
    },
  }),
  batchMutant({
    id: 'starts-anyway',
    lie: 'Writes a batch whose signal is aborted already, and reports it as failed.',
    target: beforeStart,
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || !options.signal?.aborted) return honest(messages, options);
      await honest(copy, withoutSignal(options));
      tools.lied();
      return honest(copy, options);
    },
  }),
  batchMutant({
    id: 'busy-connection-returned',
    lie: 'Stores the batch after an aborted one, but answers it with the reply to the aborted one.',
    target: usable,
    spoil(honest, tools) {
      let unread: Reply | undefined;
      return async (messages, options) => {
        const late = unread;
        unread = undefined;
        const running = options.signal?.aborted === false;
        const reply = await ask(honest, messages, options);
        if (late !== undefined) {
          tools.lied();
          return answer(late);
        }
        if (running && options.signal?.aborted && hasFailed(reply)) unread = reply;
        return answer(reply);
      };
    },
  }),
];

function withoutSignal({ signal: _dropped, ...options }: SendOptions): SendOptions {
  return options;
}

/** How the subject reports a call that was aborted before it began. */
function abortedBefore(honest: SendBatch, messages: Parameters<SendBatch>[0], options: SendOptions): Promise<Reply> {
  return ask(honest, messages, { ...options, signal: AbortSignal.abort() });
}
