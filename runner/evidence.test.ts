import { expect, it } from 'vitest';
import { contracts } from '../contracts/index.ts';
import { judgeAll, testOptions } from './fixtures/judging.ts';

it.each(contracts)(
  'every guard of $name that is upheld carries the evidence that it names',
  async ({ name, guards }) => {
    const verdicts = await judgeAll(guards, testOptions({ contracts: [name], paths: ['memory'], timeout: 60_000 }));
    expect(verdicts.map(({ guard }) => guard)).toEqual(guards.map(({ id }) => id));
    const upheld = verdicts.filter(({ verdict }) => verdict === 'upheld');
    expect(upheld.length).toBeGreaterThan(20);
    for (const { guard, evidence } of upheld) {
      const { proves } = guards.find(({ id }) => id === guard)!;
      expect({ guard, evidence: Object.keys(evidence) }).toEqual({ guard, evidence: expect.arrayContaining(proves) });
    }
    expect(verdicts.filter(({ verdict }) => verdict !== 'upheld' && verdict !== 'not-applicable')).toEqual([]);
  },
  60_000,
);
