import { expect, test } from 'vitest';
import type { ContractName } from '../../index.ts';
import { variantsOf } from '../fixtures/open-variant.ts';
import backend from './index.ts';

function declared(mode: string, contract: ContractName = 'send-batch') {
  const facts = { provider: 'sqlite', mode, version: '3', lacks: {} };
  return variantsOf(backend, contract).map(async (variant) => {
    const { declare } = backend.variants[variant]![contract]!;
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

test.each([
  ['file', ['audit', 'uniqueSlot', 'durable', 'persistent']],
  ['shared', ['audit', 'uniqueSlot']],
  ['memory', ['audit', 'uniqueSlot']],
])('says in mode %s what each variant for windows is', async (mode, extras) => {
  const variants = await Promise.all(declared(mode, 'materialize-window'));
  const found = variants.map(({ variant, chunk, givesUp, ...others }) => {
    return [variant, chunk, Object.keys(givesUp ?? {}), others.extras, others.timeResolution];
  });
  expect(found).toEqual([
    ['json-each', 'none', [], extras, 0.001],
    ['loop', { rows: 1 }, ['batched'], extras, 0.001],
    ['optimistic', 'none', [], extras, 0.001],
  ]);
});
