import { expect, test } from 'vitest';
import type { ContractName, Declaration } from '../../index.ts';
import { variantsOf } from '../fixtures/open-variant.ts';
import backend from './index.ts';

/** What the variants that have the contract declare, by their names. */
function declared(contract: ContractName): [variant: string, Partial<Declaration>][] {
  return variantsOf(backend, contract).map((variant) => {
    const { declare } = backend.variants[variant]![contract]!;
    if (typeof declare === 'function') throw new TypeError('the same for every mode');
    expect(declare!.offers).toContain('cancel');
    expect(declare!.extras).toEqual(expect.arrayContaining(['durable', 'persistent']));
    return [variant, declare!];
  });
}

test('says what each variant is', () => {
  const told = declared('send-batch').map(([variant, declaration]) => {
    const { chunk, givesUp, onFailure, clock, keyPolicy, keysEqual, extras, offers } = declaration;
    expect(offers).toEqual(expect.arrayContaining(['dedupeKey', 'transaction']));
    expect([clock, keyPolicy, keysEqual]).toEqual(['database', 'skip', ['destination']]);
    const own = [...offers!, ...extras!].filter((each) => each === 'chunkSize' || each === 'statusTable');
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure ?? 'throws', ...own];
  });
  expect(told).toEqual([
    ['unnest', 'none', [], 'throws'],
    ['values', { rows: 500 }, [], 'outcomes', 'chunkSize'],
    ['copy', 'none', [], 'throws'],
    ['procedure', 'none', [], 'throws', 'statusTable'],
    ['loop', { rows: 1 }, ['batched'], 'throws'],
  ]);
});

test('says how each variant writes windows', () => {
  const told = declared('materialize-window').map(([variant, declaration]) => {
    const { chunk, givesUp, onFailure, clock, extras, timeResolution } = declaration;
    expect(extras).toEqual(expect.arrayContaining(['audit', 'uniqueSlot']));
    expect([onFailure, timeResolution]).toEqual(['throws', 0.001]);
    return [variant, chunk, Object.keys(givesUp ?? {}), clock];
  });
  expect(told).toEqual([
    ['unnest', 'none', [], 'caller'],
    ['procedure', 'none', [], 'database'],
    ['loop', { rows: 1 }, ['batched'], 'caller'],
    ['optimistic', 'none', [], 'caller'],
  ]);
});
