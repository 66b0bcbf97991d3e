import { expect, it } from 'vitest';
import { findProvider } from '../providers/index.ts';
import { guardsAtOnce } from './run.ts';

const [memory, postgres] = [findProvider('memory')!, findProvider('postgres')!];

it('as many guards are judged at once as there are threads, on a server twice as many, and no more than it can serve', () => {
  expect(guardsAtOnce(memory, {}, { concurrency: 2 })).toBe(2);
  expect(guardsAtOnce(postgres, {}, { concurrency: 2 })).toBe(4);
  expect(guardsAtOnce(postgres, { guardsAtOnce: 9 }, { concurrency: 2 })).toBe(4);
  expect(guardsAtOnce(postgres, { guardsAtOnce: 1 }, { concurrency: 2 })).toBe(1);
});
