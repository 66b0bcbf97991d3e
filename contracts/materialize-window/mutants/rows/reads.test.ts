import { expect, test } from 'vitest';
import type { Call } from '../../../setup/mutants/spoil.ts';
import { keyOf, toldBy } from './reads.ts';

const expected = { schedule: 's', expectedVersion: 1, expectedCursor: null, auditLevel: 'full', now: '' };
const slot = { at: '2031-03-03T04:05:00.000Z', next: null, child: { body: 1 } };
const call = (member: string, argument: unknown) => ({ member, args: [argument] }) as unknown as Call;

test('a slot has one key however its instant is written', () => {
  const key = keyOf('s', slot.at);
  expect(keyOf('s', '2031-03-03T09:05:00.000+05:00')).toBe(key);
  expect(keyOf('s', Date.parse(slot.at))).toBe(key);
  expect(keyOf('s', '2031-03-03T04:05:00.001Z')).not.toBe(key);
});

test('what a single slot was told is that of a list of one', () => {
  const told = { expected, slots: [slot], outcomes: ['already-exists'] };
  expect(toldBy(call('materialize', { ...expected, slot }), { value: { outcome: 'already-exists' } })).toEqual(told);
  const window = { ...expected, slots: [slot] };
  expect(toldBy(call('materializeWindow', window), { value: { outcomes: ['already-exists'] } })).toEqual(told);
});

test('a call that failed was told nothing', () => {
  const threw = { name: 'Error', message: 'no' };
  expect(toldBy(call('materialize', { ...expected, slot }), { threw })).toBeUndefined();
  expect(toldBy(call('putSchedules', []), { value: undefined })).toBeUndefined();
});
