import { expect, test } from 'vitest';
import backend from './index.ts';

function declared(mode: string) {
  const facts = { provider: 'sqlite', mode, version: '3', lacks: {} };
  return Object.entries(backend.variants).map(async ([variant, { 'send-batch': entry }]) => {
    const { declare } = entry!;
    return { variant, ...(typeof declare === 'function' ? await declare(facts) : declare) };
  });
}

test.each([
  ['file', ['durable', 'persistent']],
  ['shared', []],
  ['memory', []],
])('in mode %s claims to outlast its process: %j, and that no call can be cancelled', async (mode, extras) => {
  for (const variant of await Promise.all(declared(mode))) {
    expect(variant).toMatchObject({ extras });
    expect(variant.offers).not.toContain('cancel');
  }
});

test('says what each variant is', async () => {
  const found = (await Promise.all(declared('file'))).map(({ variant, chunk, givesUp, onFailure }) => {
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure];
  });
  expect(found).toEqual([
    ['prepared', { rows: 1 }, [], 'throws'],
    ['json-each', 'none', [], 'throws'],
    ['values', { rows: 100 }, [], 'throws'],
    ['loop', { rows: 1 }, ['batched'], 'throws'],
  ]);
});
