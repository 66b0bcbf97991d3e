import type { Mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, ordinaryCopy } from './batching.ts';
import { answer, ask, type BatchOptions, hasFailed } from './replies.ts';

const untouched = 'inputs-are-not-touched';
const inFlight = 'inputs-may-change-in-flight';

/** Lies about the caller's objects: they are written to, or read when they are the caller's again. */
export function inputMutants<Item>(batching: Batching<Item>): Mutant[] {
  return [
    batchMutant(batching, {
      id: `id-written-into-the-${batching.item}`,
      lie: `Writes the new id into the caller's ${batching.item}.`,
      target: untouched,
      spoil: (honest, tools) => async (items, options) => {
        const outcomes = await honest(items, options);
        outcomes.forEach((outcome, slot) => {
          if (!('stored' in outcome) || outcome.stored === null) return;
          tools.lied();
          Object.assign(items[slot] as object, { id: String(outcome.stored) });
        });
        return outcomes;
      },
    }),
    batchMutant(batching, {
      id: 'caller-buffer-kept',
      lie: `Keeps the caller's ${batching.items} and stores them as they have become when it is called again.`,
      target: untouched,
      alsoKilledBy: [inFlight],
      spoil(honest, tools) {
        let kept: { items: readonly Item[]; text: string; options: BatchOptions; before: unknown } | undefined;
        return async (items, options) => {
          const own = ordinaryCopy(batching, items);
          const late = kept;
          kept = undefined;
          if (late !== undefined && JSON.stringify(late.items) !== late.text) {
            await tools.hand.restore(late.before);
            tools.lied();
            await ask(honest, late.items, late.options);
          }
          if (own === undefined) return honest(items, options);
          const before = await tools.hand.snapshot();
          const reply = await ask(honest, own, options);
          if (!hasFailed(reply)) kept = { items, text: JSON.stringify(own), options, before };
          return answer(reply);
        };
      },
    }),
    batchMutant(batching, {
      id: `${batching.items}-read-too-late`,
      lie: `Returns its promise before it reads the caller's ${batching.items}.`,
      target: inFlight,
      spoil: (honest, tools) => async (items, options) => {
        const sent = ordinaryCopy(batching, items);
        if (sent === undefined) return honest(items, options);
        await new Promise((resolve) => tools.later(() => resolve(undefined), 0));
        if (JSON.stringify(items) !== JSON.stringify(sent)) tools.lied();
        return honest(items, options);
      },
    }),
  ];
}
