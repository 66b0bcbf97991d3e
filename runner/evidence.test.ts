import { expect, it } from 'vitest';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { judgeAll, testOptions } from './fixtures/judging.ts';

it('every guard that is upheld carries the evidence that it names', async () => {
  const verdicts = await judgeAll(sendBatch.guards, testOptions({ paths: ['memory'], timeout: 60_000 }));
  expect(verdicts.map(({ guard }) => guard)).toEqual(sendBatch.guards.map(({ id }) => id));
  const upheld = verdicts.filter(({ verdict }) => verdict === 'upheld');
  expect(upheld.length).toBeGreaterThan(20);
  for (const { guard, evidence } of upheld) {
    const { proves } = sendBatch.guards.find(({ id }) => id === guard)!;
    expect({ guard, evidence: Object.keys(evidence) }).toEqual({ guard, evidence: expect.arrayContaining(proves) });
  }
  expect(verdicts.filter(({ verdict }) => verdict !== 'upheld' && verdict !== 'not-applicable')).toEqual([]);
}, 60_000);
