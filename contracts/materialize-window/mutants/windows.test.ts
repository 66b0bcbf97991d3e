import { expect, test } from 'vitest';
import type { MutantTools } from '../../kernel/mutant.ts';
import { type BatchLie, batchMutant } from '../../writing/mutants/batching.ts';
import { madeUp } from '../../writing/mutants/replies.ts';
import type { MaterializeWindowPort, Slot, SlotOutcome, Window } from '../port.ts';
import { gridInstant } from '../slots.ts';
import { windowBatching } from './windows.ts';

const slots = Array.from({ length: 4 }, (_, i): Slot => {
  return { at: gridInstant(i + 1), next: gridInstant(i + 2), child: { body: { token: `token-${i}` } } };
});
const window: Window = {
  schedule: 'nightly',
  expectedVersion: 3,
  expectedCursor: gridInstant(0),
  auditLevel: 'full',
  now: gridInstant(9),
  slots,
};

/** A subject that creates every slot, unless it is told otherwise, behind a lie about its batches. */
function behind(spoil: BatchLie<Slot>['spoil'], outcomes: SlotOutcome[] = []) {
  const windows: Window[] = [];
  const subject: MaterializeWindowPort = {
    putSchedules() {},
    materializeWindow(given) {
      windows.push(given);
      const made = given.slots.map(
        ({ child }, i) => outcomes[i] ?? { created: (child.body as { token: string }).token },
      );
      return { outcomes: made, cursor: given.slots.at(-1)!.next, runs: given.slots.length };
    },
    materialize: () => ({ outcome: { created: 1 }, cursor: null, runs: 1 }),
    advance: () => 'advanced',
  };
  const mutant = batchMutant(windowBatching, { id: 'a-lie', lie: 'Lies.', target: 'a-guard', spoil });
  const port = mutant.wrap(subject, { lied() {} } as unknown as MutantTools);
  return { windows, call: async () => port.materializeWindow!(window, {}) };
}

test('an honest call is that of the subject', async () => {
  const { windows, call } = behind((honest) => honest, [{ created: 7 }, 'already-exists', 'cursor-moved']);
  expect(await call()).toEqual({
    outcomes: [{ created: 7 }, 'already-exists', 'cursor-moved', { created: 'token-3' }],
    cursor: gridInstant(5),
    runs: 4,
  });
  expect(windows).toEqual([window]);
});

test('a part of a window goes on where the one before it ended, and the whole of it begins anew', async () => {
  const { windows, call } = behind((honest) => async (items, options) => {
    const first = await honest(items.slice(0, 1), options);
    const others = await honest(items.slice(1), options);
    await honest(items, options);
    return [...first, ...others];
  });
  const { outcomes } = await call();
  expect(outcomes).toEqual(slots.map((_, i) => ({ created: `token-${i}` })));
  expect(windows).toEqual([
    { ...window, slots: slots.slice(0, 1) },
    { ...window, slots: slots.slice(1), expectedCursor: slots[0]!.next },
    window,
  ]);
});

test('what a lie reports as failed is thrown', async () => {
  const failure = new Error('refused');
  const { call } = behind(() => async () => [{ stored: 1 }, { failed: failure }]);
  await expect(call()).rejects.toBe(failure);
});

test('a lie that writes nothing reports where the window would have ended', async () => {
  const { windows, call } = behind(() => async (items) => madeUp(items.length));
  expect(await call()).toMatchObject({
    outcomes: Array(4).fill({ created: expect.any(Number) }),
    cursor: gridInstant(5),
  });
  expect(windows).toEqual([]);
});

test.each<[string, Slot[], boolean]>([
  ['ascend', slots, true],
  ['do not ascend', slots.toReversed(), false],
  ['are the same', [slots[0]!, slots[0]!], false],
  ['end the grid', slots.with(3, { ...slots[3]!, next: null }), false],
  ['cannot be read', slots.with(0, { ...slots[0]!, child: { body: () => {} } }), false],
])('whether slots that %s are ordinary', (_what, given, expected) => {
  expect(windowBatching.areOrdinary(given)).toBe(expected);
});
