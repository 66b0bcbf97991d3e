import { expect, test } from 'vitest';
import type { ContractName, Declaration } from '../../index.ts';
import { variantsOf } from '../fixtures/open-variant.ts';
import backend from './index.ts';

const declared = declarationsFor('send-batch');

function declarationsFor(contract: ContractName) {
  return variantsOf(backend, contract).map((variant) => {
    return [variant, backend.variants[variant]![contract]!.declare as Partial<Declaration>] as const;
  });
}

test('says what each variant is', () => {
  const found = declared.map(([variant, { chunk, givesUp, onFailure, keyPolicy, keysEqual }]) => {
    return [variant, chunk, Object.keys(givesUp ?? {}), onFailure, keyPolicy, keysEqual];
  });
  expect(found).toEqual([
    ['plain', undefined, [], 'outcomes', undefined, undefined],
    ['everything', { rows: 100 }, [], 'throws', 'skip', []],
    ['replace-duplicates', undefined, [], 'throws', 'replace', ['case', 'trailingSpace', 'normalForm']],
    ['refuse-duplicates', undefined, [], 'outcomes', 'refuse', ['destination']],
    ['pipeline', { rows: 1 }, ['atomic', 'isolated', 'batched'], 'outcomes', undefined, undefined],
  ]);
});

test('says what each variant for windows is', () => {
  const found = declarationsFor('materialize-window').map(([variant, { givesUp, disorder, extras }]) => {
    return [variant, Object.keys(givesUp ?? {}), disorder, extras];
  });
  expect(found).toEqual([
    ['plain', [], undefined, ['audit']],
    ['refuse-disorder', [], 'refused', ['audit']],
    ['slot-by-slot', ['bulk', 'atomic', 'isolated', 'batched'], undefined, ['audit']],
  ]);
});

test('everything offers what a message and a call can ask for, but bytes and conditions', () => {
  const [, { offers, extras }] = declared.find(([variant]) => variant === 'everything')!;
  const metadata = ['destination', 'delay', 'expiration', 'priority', 'route', 'correlationId', 'headers'];
  const more = ['dedupeKey', 'callerIds', 'columns', 'jobs', 'transaction', 'cancel', 'chunkSize'];
  expect(offers).toEqual([...metadata, ...more]);
  expect(extras).toEqual(['statusTable', 'fifo', 'sync', 'buffered', 'ambient', 'read']);
});
