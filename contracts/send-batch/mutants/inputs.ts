import type { Mutant } from '../../kernel/mutant.ts';
import type { Message, SendOptions } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';
import { answer, ask, batchMutant, hasFailed } from './spoil.ts';

const untouched = 'send-batch/inputs-are-not-touched';
const inFlight = 'send-batch/inputs-may-change-in-flight';

/** Lies about the caller's objects: they are written to, or read when they are the caller's again. */
export const inputMutants: Mutant[] = [
  batchMutant({
    id: 'id-written-into-the-message',
    lie: "Writes the new id into the caller's message.",
    target: untouched,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      outcomes.forEach((outcome, slot) => {
        if (!('stored' in outcome) || outcome.stored === null) return;
        tools.lied();
        messages[slot]!.id = String(outcome.stored);
      });
      return outcomes;
    },
  }),
  batchMutant({
    id: 'options-object-filled-in',
    lie: "Writes a default into the caller's options.",
    target: untouched,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, { ...options });
      if (options.chunkSize === undefined) {
        tools.lied();
        options.chunkSize = 100;
      }
      return outcomes;
    },
  }),
  batchMutant({
    id: 'caller-buffer-kept',
    lie: "Keeps the caller's messages and stores them as they have become when it is called again.",
    target: untouched,
    alsoKilledBy: [inFlight],
    spoil(honest, tools) {
      let kept: { messages: readonly Message[]; text: string; options: SendOptions; before: unknown } | undefined;
      return async (messages, options) => {
        const own = ordinaryCopy(messages);
        const late = kept;
        kept = undefined;
        if (late !== undefined && JSON.stringify(late.messages) !== late.text) {
          await tools.hand.restore(late.before);
          tools.lied();
          await ask(honest, late.messages, late.options);
        }
        if (own === undefined) return honest(messages, options);
        const before = await tools.hand.snapshot();
        const reply = await ask(honest, own, options);
        if (!hasFailed(reply)) kept = { messages, text: JSON.stringify(own), options, before };
        return answer(reply);
      };
    },
  }),
  batchMutant({
    id: 'messages-read-too-late',
    lie: "Returns its promise before it reads the caller's messages.",
    target: inFlight,
    spoil: (honest, tools) => async (messages, options) => {
      const sent = ordinaryCopy(messages);
      if (sent === undefined) return honest(messages, options);
      await new Promise((resolve) => tools.later(() => resolve(undefined), 0));
      if (JSON.stringify(messages) !== JSON.stringify(sent)) tools.lied();
      return honest(messages, options);
    },
  }),
];
