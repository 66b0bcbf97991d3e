import { describe, expect, it } from 'vitest';
import { newSchedule } from '../../pool.ts';
import type { Slot, Window } from '../../port.ts';
import { gridInstant } from '../../slots.ts';
import { Notes } from './notes.ts';

const slots: Slot[] = [0, 1, 2].map((i) => ({ at: gridInstant(i), next: gridInstant(i + 1), child: { body: i } }));
const window: Window = {
  schedule: 'one',
  expectedVersion: 3,
  expectedCursor: gridInstant(0),
  auditLevel: 'full',
  now: gridInstant(0),
  slots,
};

describe('notes', () => {
  it('keep the schedules as they were put last, in the order in which they were put first', () => {
    const notes = new Notes();
    notes.put([newSchedule('one'), newSchedule('two')]);
    notes.put([{ ...newSchedule('two'), version: 9 }]);
    expect(notes.schedule('two')?.version).toBe(9);
    expect(notes.schedule('three')).toBeUndefined();
    expect(notes.first()?.id).toBe('one');
  });

  it('tell the slots that have a child, under which schedule, by their instant', () => {
    const notes = new Notes();
    const [created, taken, lost] = slots as [Slot, Slot, Slot];
    notes.told(window, { outcomes: [{ created: '7' }, 'already-exists', 'cursor-moved'], cursor: null, runs: 1 });
    const elsewhere = { ...created, at: created.at.replace('04:05:00.000Z', '09:05:00+05:00') };
    expect([created, taken, lost, elsewhere].map((slot) => notes.isTaken('one', slot))).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([created, lost].map((slot) => notes.isTakenElsewhere('two', slot))).toEqual([true, false]);
    expect(notes.isTakenElsewhere('one', created)).toBe(false);
  });
});
