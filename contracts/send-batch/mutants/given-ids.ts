import type { Declaration } from '../../kernel/capabilities.ts';
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
  batchMutant({
    id: 'caller-id-cut-at-36',
    lie: 'Stores and reports the first 36 characters of a longer id.',
    target,
    cannot: unlessText,
    spoil: (honest, tools) => async (messages, options) => {
      if (messages.every(({ id }) => id === undefined || id.length <= 36)) return honest(messages, options);
      tools.lied();
      const cut = messages.map((message) =>
        message.id === undefined ? message : { ...message, id: message.id.slice(0, 36) },
      );
      return honest(cut, options);
    },
  }),
  batchMutant({
    id: 'caller-ids-without-case',
    lie: 'Fails a batch in which two ids differ by case alone, as if one of them were taken.',
    target,
    cannot: unlessText,
    spoil: (honest, tools) => async (messages, options) => {
      const ids = new Set(messages.flatMap(({ id }) => id ?? []));
      const folded = new Set([...ids].map((id) => id.toLowerCase()));
      if (folded.size === ids.size) return honest(messages, options);
      tools.lied();
      throw new Error('UNIQUE constraint failed: id');
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
    sent: async (messages, stored) => unlessTaken(messages, stored),
  }),
  takenIdMutant({
    id: 'caller-id-skipped-beside-keys',
    lie: 'Takes a conflict of an id for one of a key where all messages of a batch have keys, and reports that message as stored.',
    needs: ['dedupeKey'],
    tells: (messages) => messages.length > 1 && messages.every(({ dedupeKey }) => dedupeKey !== undefined),
    sent: async (messages, stored) => unlessTaken(messages, stored),
  }),
];

function unlessText({ idForm }: Declaration): string | undefined {
  return idForm === 'text' ? undefined : 'all ids have one length, and their case makes no difference';
}

/** The messages whose ids no other has, and the first of those that share one. */
function unlessTaken(messages: readonly Message[], stored: ReadonlySet<string>): Message[] {
  return messages.filter(
    ({ id }, slot) => id === undefined || (!stored.has(id) && messages.findIndex((m) => m.id === id) === slot),
  );
}

/** A lie about a batch in which an id is that of a message stored before, or stands twice: all are told as stored. */
function takenIdMutant(
  m: Pick<Mutant, 'id' | 'lie'> &
    Partial<Pick<Mutant, 'needs'>> & {
      /** Of which batches the lie is told; of all where it is absent. */
      tells?(messages: readonly Message[]): boolean;
      /** The messages that are sent instead of all; `stored` has the ids that the caller gave before. */
      sent(messages: readonly Message[], stored: ReadonlySet<string>, tools: MutantTools): Promise<readonly Message[]>;
    },
): Mutant {
  const { sent, tells = () => true, ...described } = m;
  return batchMutant({
    ...described,
    target,
    spoil(honest, tools) {
      const stored = new Set<string>();
      return async (messages, options) => {
        const given = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
        const isTaken = tells(messages) && (new Set(given).size < given.length || given.some((id) => stored.has(id)));
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
