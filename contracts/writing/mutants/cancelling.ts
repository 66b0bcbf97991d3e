import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, failWhole, hasFailed, type Reply, withoutSignal } from './replies.ts';

const takesEffect = 'abort-takes-effect';
const beforeStart = 'aborted-before-start-writes-nothing';

/** Lies about calls that are aborted. */
export function cancellingMutants<Item>(batching: Batching<Item>): Mutant[] {
  const { item } = batching;
  return [
    batchMutant(batching, {
      id: 'signal-ignored',
      lie: 'Takes no notice of the signal of a call.',
      target: takesEffect,
      alsoKilledBy: [beforeStart],
      spoil: (honest, tools) => async (items, options) => {
        const reply = await ask(honest, items, withoutSignal(options));
        if (options.signal?.aborted) tools.lied();
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'signal-read-before-chunk-zero-only',
      lie: 'Looks whether a call is aborted when it begins, and never again.',
      target: takesEffect,
      spoil: (honest, tools) => async (items, options) => {
        if (options.signal?.aborted) return honest(items, options);
        const reply = await ask(honest, items, withoutSignal(options));
        if (options.signal?.aborted) tools.lied();
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'signal-ignored-by-one-item',
      lie: `Takes no notice of the signal of a batch of one ${item}, unless it is aborted already.`,
      target: takesEffect,
      spoil: (honest, tools) => async (items, options) => {
        if (items.length !== 1 || options.signal?.aborted) return honest(items, options);
        const reply = await ask(honest, items, withoutSignal(options));
        if (options.signal?.aborted) tools.lied();
        return answer(reply);
      },
    }),
    batchMutant(batching, {
      id: 'late-abort-hits-the-next',
      lie: 'Listens to the signal of a call that has settled, and makes the call fail that is running then.',
      target: 'usable-after-abort',
      spoil(honest, tools) {
        let strike: ((error: Error) => void) | undefined;
        return async (items, options) => {
          const { promise: struck, reject } = Promise.withResolvers<never>();
          struck.catch(() => {});
          let settled = false;
          options.signal?.addEventListener('abort', () => {
            if (!settled || !strike) return;
            tools.lied();
            strike(new Error('the connection was closed by a signal'));
          });
          strike = reject;
          try {
            return await Promise.race([honest(items, options), struck]);
          } finally {
            settled = true;
            if (strike === reject) strike = undefined;
          }
        };
      },
    }),
    batchMutant(batching, {
      id: 'settles-when-the-engine-lets-go',
      lie: 'Undoes an aborted batch and reports it as failed, but only when the engine has answered.',
      target: takesEffect,
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || !options.signal || options.signal.aborted) return honest(items, options);
        const before = await tools.hand.snapshot();
        const reply = await ask(honest, copy, withoutSignal(options));
        if (!options.signal.aborted) return answer(reply);
        tools.lied();
        await tools.hand.restore(before);
        // As the subject reports a call that was aborted before it began.
        return honest(copy, { ...options, signal: AbortSignal.abort() });
      },
    }),
    batchMutant(batching, {
      id: 'abort-between-chunks-keeps-the-first',
      lie: 'Commits a batch that can be aborted in two halves; of one that is aborted in between the first stays.',
      target: 'cancelled-is-all-or-nothing',
      alsoKilledBy: [takesEffect],
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || copy.length < 2 || !options.signal || options.signal.aborted) {
          return honest(copy ?? items, options);
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
    batchMutant(batching, {
      id: 'starts-anyway',
      lie: 'Writes a batch whose signal is aborted already, and reports it as failed.',
      target: beforeStart,
      spoil: (honest, tools) => async (items, options) => {
        const copy = ordinaryCopy(batching, items);
        if (copy === undefined || !options.signal?.aborted) return honest(items, options);
        await honest(copy, withoutSignal(options));
        tools.lied();
        return honest(copy, options);
      },
    }),
    batchMutant(batching, {
      id: 'busy-connection-returned',
      lie: 'Stores the batch after an aborted one, but answers it with the reply to the aborted one.',
      target: 'usable-after-abort',
      spoil(honest, tools) {
        let unread: Reply | undefined;
        return async (items, options) => {
          const late = unread;
          unread = undefined;
          const running = options.signal?.aborted === false;
          const reply = await ask(honest, items, options);
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
}
