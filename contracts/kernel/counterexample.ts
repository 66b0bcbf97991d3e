/** How one slot of a batch fared. */
export type SlotMark = 'ok' | 'lost' | 'duplicated' | 'reordered' | 'torn' | 'changed' | 'wrong';

/** One line of a counterexample: what was sent, what had to come of it, and what was found. */
export interface SlotLine {
  slot: number;
  mark: SlotMark;
  sent: string;
  expected: string;
  stored: string;
}

/** The smallest input that was found to break a rule, aligned by slot. */
export interface Counterexample {
  /** What was done, in words: sizes, positions, faults. */
  input: string;
  slots: SlotLine[];
}
