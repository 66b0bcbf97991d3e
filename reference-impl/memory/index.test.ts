import { expect, test } from 'vitest';
import type { Declaration } from '../../index.ts';
import backend from './index.ts';

const declared = Object.entries(backend.variants).map(([variant, contracts]) => {
  return [variant, contracts['send-batch']!.declare as Partial<Declaration>] as const;
});

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

test('everything offers what a message and a call can ask for, but bytes and conditions', () => {
  const [, { offers, extras }] = declared.find(([variant]) => variant === 'everything')!;
  const metadata = ['destination', 'delay', 'expiration', 'priority', 'route', 'correlationId', 'headers'];
  const more = ['dedupeKey', 'callerIds', 'columns', 'jobs', 'transaction', 'cancel', 'chunkSize'];
  expect(offers).toEqual([...metadata, ...more]);
  expect(extras).toEqual(['statusTable', 'fifo', 'sync', 'buffered', 'ambient', 'read']);
});
