import { describe, expect, it } from 'vitest';
import { Violation } from '../../kernel/guard.ts';
import type { Slot, SlotOutcome } from '../port.ts';
import { gridInstant } from '../slots.ts';
import { mustTell, mustTellAll } from './scene.ts';

const slots: Slot[] = [0, 1, 2].map((i) => ({ at: gridInstant(i), next: gridInstant(i + 1), child: { body: i } }));

function violationOf(outcomes: readonly SlotOutcome[], expected: readonly string[]): Violation {
  try {
    mustTell(slots, outcomes, expected, 'a window');
  } catch (error) {
    if (error instanceof Violation) return error;
    throw error;
  }
  throw new Error('the outcomes were found right');
}

describe('outcomes', () => {
  const expected = ['created', 'already-exists', 'created'];

  it('are right whatever the ids of the children, and where none are given', () => {
    expect(() =>
      mustTell(slots, [{ created: '7' }, 'already-exists', { created: null }], expected, 'it'),
    ).not.toThrow();
  });

  it('that are wrong are named by the first slot, and all of them shown beside their slots', () => {
    const { message, counterexample } = violationOf(['cursor-moved', 'already-exists', 'cursor-moved'], expected);
    expect(message).toBe('a window: slot 0, the first of 2 that are wrong, is told cursor-moved, expected created');
    expect(counterexample?.slots.map(({ mark }) => mark)).toEqual(['wrong', 'ok', 'wrong']);
  });

  it('have to be as many as the slots', () => {
    expect(violationOf([{ created: '7' }, 'already-exists'], expected).message).toBe(
      'a window: 2 outcomes for 3 slots',
    );
    const more: SlotOutcome[] = [{ created: '7' }, 'already-exists', { created: '8' }, { created: '9' }];
    expect(violationOf(more, expected).message).toBe('a window: 4 outcomes for 3 slots');
  });

  it('can be one loss for every slot', () => {
    const lost: SlotOutcome[] = ['version-mismatch', 'version-mismatch', 'cursor-moved'];
    expect(() => mustTellAll(slots, lost, 'version-mismatch', 'it')).toThrow(
      'it: slot 2 is told cursor-moved, expected version-mismatch',
    );
  });
});
