import { type ReportedOutcome, stored } from '../index.ts';

/** A row that answers for the message in a slot: its own, or the one that held its key before. */
export interface Answer {
  slot: number | bigint;
  id: bigint | string;
  duplicate?: boolean;
  /** The row that held the key has another body than the message. */
  differs?: boolean;
}

/** An outcome for every message, in the order of the slots; the answers may come in any order. */
export function outcomesBySlot(answers: readonly Answer[], count: number): ReportedOutcome[] {
  const bySlot = new Map(answers.map((answer) => [Number(answer.slot), answer]));
  return Array.from({ length: count }, (_, slot) => {
    const answer = bySlot.get(slot);
    if (!answer) throw new Error(`the insert returned no id for message ${slot}`);
    const { id, duplicate, differs } = answer;
    return duplicate ? { duplicate: id, ...(differs && { differs }) } : stored(id);
  });
}
