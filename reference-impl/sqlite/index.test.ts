import { expect, test } from 'vitest';
import backend from './index.ts';

test('says what each variant is', () => {
  const declared = Object.entries(backend.variants).map(([variant, { 'send-batch': entry }]) => {
    const { declare } = entry!;
    const facts = { provider: 'sqlite', mode: 'file', version: '3', lacks: {} };
    const { chunk, givesUp, onFailure } = typeof declare === 'function' ? declare(facts) : declare!;
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure];
  });
  expect(declared).toEqual([
    ['prepared', { rows: 1 }, [], 'throws'],
    ['json-each', 'none', [], 'throws'],
    ['values', { rows: 100 }, [], 'throws'],
    ['loop', { rows: 1 }, ['batched'], 'throws'],
  ]);
});
