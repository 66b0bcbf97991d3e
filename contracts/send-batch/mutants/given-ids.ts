import type { Mutant, MutantTools } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { answer, ask, hasFailed, type Reply } from '../../writing/mutants/replies.ts';
import type { Message } from '../port.ts';
import { batchMutant } from './spoil.ts';

const target = 'send-batch/caller-ids-are-kept';

/** Lies about ids that the caller gives. */
export const givenIdMutants: Mutant[] = [
  batchMutant({
    id: 'caller-id-replaced',
    lie: "Lets the engine choose the ids of a batch of several although the caller gave them, and reports the engine's.",
    target,
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.length < 4 || messages.every(({ id }) => id === undefined)) return honest(messages, options);
      tools.lied();
      return honest(messages.map(withoutId), options);
    },
  }),
  batchMutant({
    id: 'caller-id-matched-as-text',
    lie: "Reports as failed a message whose id the caller spells in another way than the engine's own lower case.",
    target,
    spoil: (honest, tools) => async (messages, options) => {
      const outcomes = await honest(messages, options);
      return outcomes.map((outcome, slot): ReportedOutcome => {
        const { id = '' } = messages[slot] ?? {};
        if (id === id.toLowerCase() || !('stored' in outcome)) return outcome;
        tools.lied();
        return { failed: new Error(`the insert returned no row with the id ${id}`) };
      });
    },
  }),
  takenIdMutant({
    id: 'caller-id-overwrites',
    lie: 'Stores a message in the place of another that has the same id, as INSERT OR REPLACE does.',
    async sent(messages, stored, { hand }) {
      const again = new Set<unknown>(messages.flatMap(({ id }) => (id !== undefined && stored.has(id) ? [id] : [])));
      await hand.edit((row) => (Object.values(row).some((value) => again.has(value)) ? 'remove' : undefined));
      return messages.filter(({ id }, slot) => id === undefined || messages.findLastIndex((m) => m.id === id) === slot);
    },
  }),
  takenIdMutant({
    id: 'caller-id-skipped',
    lie: 'Leaves out a message whose id another one has, as INSERT OR IGNORE does, and reports it as stored.',
    sent: async (messages, stored) =>
      messages.filter(
        ({ id }, slot) => id === undefined || (!stored.has(id) && messages.findIndex((m) => m.id === id) === slot),
      ),
  }),
];

/** A lie about a batch in which an id is that of a message stored before, or stands twice: all are told as stored. */
function takenIdMutant(
  m: Pick<Mutant, 'id' | 'lie'> & {
    /** The messages that are sent instead of all; `stored` has the ids that the caller gave before. */
    sent(messages: readonly Message[], stored: ReadonlySet<string>, tools: MutantTools): Promise<readonly Message[]>;
  },
): Mutant {
  const { sent, ...described } = m;
  return batchMutant({
    ...described,
    target,
    spoil(honest, tools) {
      const stored = new Set<string>();
      return async (messages, options) => {
        const given = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
        const isTaken = new Set(given).size < given.length || given.some((id) => stored.has(id));
        const others = isTaken ? await sent(messages, stored, tools) : messages;
        const reply: Reply = others.length > 0 ? await ask(honest, others, options) : { value: [] };
        if (hasFailed(reply)) return answer(reply);
        for (const id of given) stored.add(id);
        if (!isTaken) return answer(reply);
        tools.lied();
        const outcomes = [...answer(reply)];
        return messages.map(
          (message): ReportedOutcome => (others.includes(message) ? outcomes.shift()! : { stored: message.id! }),
        );
      };
    },
  });
}

function withoutId({ id: _dropped, ...message }: Message): Message {
  return message;
}
