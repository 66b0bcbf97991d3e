import type { Mutant } from '../../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../../kernel/outcome.ts';
import { answer, ask, hasFailed } from '../../../writing/mutants/replies.ts';
import type { Message } from '../../port.ts';
import { batchMutant } from '../spoil.ts';

/** What a batch has to do with the batches of the same subject before it, and with itself. */
export interface Repeats {
  /** Slots whose key an earlier batch stored. */
  again: number[];
  /** Slots whose key stands earlier in this batch. */
  twins: number[];
  /** All of it is an earlier batch, in the same order. */
  whole: boolean;
  /** The first message that was sent under the key of a slot, where that was not the slot's own. */
  first(slot: number): Message | undefined;
}

/** The keys under which one subject has stored messages by batches. */
export class SentKeys {
  readonly #first = new Map<string, Message>();
  readonly #batches = new Set<string>();

  repeats(messages: readonly Message[]): Repeats {
    const first = new Map(this.#first);
    const again: number[] = [];
    const twins: number[] = [];
    const holders = messages.map((message, slot) => {
      const key = identityOf(message);
      if (key === undefined) return undefined;
      const holder = first.get(key);
      if (holder === undefined) first.set(key, message);
      else if (this.#first.has(key)) again.push(slot);
      else twins.push(slot);
      return holder;
    });
    return { again, twins, whole: this.#batches.has(batchOf(messages)), first: (slot) => holders[slot] };
  }

  /** Notes what a batch has stored. */
  note(messages: readonly Message[]): void {
    this.#batches.add(batchOf(messages));
    for (const message of messages) {
      const key = identityOf(message);
      if (key !== undefined && !this.#first.has(key)) this.#first.set(key, structuredClone(message));
    }
  }
}

function batchOf(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(identityOf));
}

/** A message's key with the destination that it holds for. */
export function identityOf({ dedupeKey, destination }: Message): string | undefined {
  return dedupeKey === undefined ? undefined : JSON.stringify([dedupeKey, destination]);
}

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy' | 'cannot' | 'only'>>;

/** A lie about a batch that repeats keys, told instead of the subject's outcomes; undefined where there is none. */
export function repeatMutant(
  m: Described & {
    /** What is sent instead; what it throws is what the caller gets. */
    sent?(messages: readonly Message[], repeats: Repeats): readonly Message[] | undefined;
    told?(
      outcomes: readonly ReportedOutcome[],
      repeats: Repeats,
      messages: readonly Message[],
    ): readonly ReportedOutcome[] | undefined;
  },
): Mutant {
  const { sent, told, ...described } = m;
  return batchMutant({
    ...described,
    spoil(honest, tools) {
      const keys = new SentKeys();
      return async (messages, options) => {
        if (messages.every(({ dedupeKey }) => dedupeKey === undefined)) return honest(messages, options);
        const copy = structuredClone([...messages]);
        const repeats = keys.repeats(copy);
        let others: readonly Message[] | undefined;
        try {
          others = sent?.(copy, repeats);
        } catch (error) {
          tools.lied();
          throw error;
        }
        if (others) tools.lied();
        const reply = await ask(honest, others ?? messages, options);
        if (hasFailed(reply)) return answer(reply);
        keys.note(copy);
        const lie = told?.(answer(reply), repeats, copy);
        if (lie) tools.lied();
        return lie ?? answer(reply);
      };
    },
  });
}

/** Lies about what `skip` owes: where the keys that are taken refuse a batch, there is nothing of the kind to tell. */
export function unlessRefused({ keyPolicy }: { keyPolicy: string }): string | undefined {
  return keyPolicy === 'refuse' ? 'a batch with a key that is taken is refused, as declared' : undefined;
}

/** Lies about what `refuse` owes. */
export function unlessStored({ keyPolicy }: { keyPolicy: string }): string | undefined {
  return keyPolicy === 'refuse' ? undefined : 'keys that are taken refuse no batch, as declared';
}

/** Lies about what `replace` owes. */
export function unlessReplaced({ keyPolicy }: { keyPolicy: string }): string | undefined {
  return keyPolicy === 'replace' ? undefined : 'nothing is replaced, as declared';
}

/** Lies about a content that is not stored: with `replace`, it is. */
export function onlySkipped({ keyPolicy }: { keyPolicy: string }): string | undefined {
  return keyPolicy === 'replace' ? 'the later content is stored, as declared' : unlessRefused({ keyPolicy });
}

/** The id that an outcome names, if any. */
export function idOf(outcome: ReportedOutcome | undefined) {
  if (outcome === undefined) return null;
  return 'stored' in outcome ? outcome.stored : 'duplicate' in outcome ? outcome.duplicate : null;
}
