import type { Mutant } from '../../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../../kernel/outcome.ts';
import { answer, ask, hasFailed, isRowRefused } from '../../../writing/mutants/replies.ts';
import type { Message } from '../../port.ts';
import { batchMutant } from '../spoil.ts';
import { Rivals } from './rivals.ts';
import { identityOf } from './sent.ts';

const target = 'send-batch/failed-keys-are-free';

/** Lies about the keys of batches that failed. */
export const failedKeyMutants: Mutant[] = [
  batchMutant({
    id: 'keys-noted-before-the-commit',
    lie: 'Notes the keys of a batch before it is committed, and takes them for duplicates when it failed and is sent again.',
    target,
    alsoKilledBy: ['send-batch/retry-does-not-duplicate'],
    spoil(honest, tools) {
      const noted = new Set<string | undefined>();
      return async (messages, options) => {
        const keys = messages.map(identityOf);
        const isNoted = keys.map((key) => key !== undefined && noted.has(key));
        const others = isNoted.includes(true) ? messages.filter((_, slot) => !isNoted[slot]) : messages;
        const reply = others.length > 0 ? await ask(honest, others, options) : { value: [] };
        if (hasFailed(reply)) {
          for (const key of keys) noted.add(key);
          return answer(reply);
        }
        if (others === messages) return answer(reply);
        tools.lied();
        const outcomes = [...answer(reply)];
        return isNoted.map(
          (told, slot): ReportedOutcome => (told ? { duplicate: 1_000_000_007 + slot } : outcomes.shift()!),
        );
      };
    },
  }),
  batchMutant({
    id: 'failed-keys-stay-locked',
    lie: 'Locks the keys of a batch for the session, and keeps them locked when the engine refuses a row of it.',
    target,
    cannot: (_declaration, { lacks }) => lacks.observer && `nobody else could wait for them: ${lacks.observer}`,
    spoil(honest, tools) {
      const own = new Set<string>();
      const holder = crypto.randomUUID();
      // Before the rivals are no longer told of anything.
      tools.atClose(() => rivals.holds(holder, []));
      const rivals = new Rivals(tools);
      return async (messages, options) => {
        const keys = messages.flatMap(({ dedupeKey }) => (dedupeKey === undefined ? [] : [dedupeKey]));
        if (keys.length === 0) return honest(messages, options);
        await rivals.heard();
        if (messages.some((message) => isHeldByOthers(message))) {
          tools.lied();
          await rivals.released(messages.filter(isHeldByOthers));
        }
        const reply = await ask(honest, messages, options);
        if (hasFailed(reply) && isRowRefused(reply)) {
          for (const key of keys) own.add(key);
          rivals.holds(
            holder,
            [...own].map((key) => [key, null]),
          );
        }
        return answer(reply);
      };

      function isHeldByOthers(message: Message): boolean {
        return !own.has(message.dedupeKey ?? '') && rivals.idHeld(message) !== undefined;
      }
    },
  }),
];
