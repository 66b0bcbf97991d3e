import { expect, test } from 'vitest';
import backend from './index.ts';

test('says what each variant is', () => {
  const declared = Object.entries(backend.variants).map(([variant, { 'send-batch': entry }]) => {
    const { declare } = entry!;
    if (typeof declare === 'function') throw new TypeError('the same for every mode');
    const { chunk, givesUp, onFailure, clock, extras, offers } = declare!;
    expect(offers).toContain('cancel');
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure ?? 'throws', clock, extras];
  });
  const common = ['database', ['durable', 'persistent']];
  expect(declared).toEqual([
    ['unnest', 'none', [], 'throws', ...common],
    ['values', { rows: 500 }, [], 'outcomes', ...common],
    ['copy', 'none', [], 'throws', ...common],
    ['procedure', 'none', [], 'throws', ...common],
    ['loop', { rows: 1 }, ['batched'], 'throws', ...common],
  ]);
});
