import { describe, expect, it } from 'vitest';
import { Recorder } from './recording.ts';
import type { Running } from './statement.ts';

function ran(): Running {
  const seen = { kind: 'write', text: '', connection: 1, transaction: 1, startedMs: 1, endedMs: 2 } as const;
  return { ended: true, writes: true, marks: new Set(), seen: { ...seen } };
}

/** Whether a statement was seen to carry one of these marks, when its bytes came in these pieces. */
async function carried(marks: string[], ...pieces: string[]): Promise<boolean> {
  const recorder = new Recorder();
  const recording = recorder.record({ marks });
  const statement = ran();
  recorder.began(statement);
  for (const piece of pieces) recorder.search(Buffer.from(piece), statement);
  return (await recording.stop()).statements[0]!.marked;
}

describe('a mark', () => {
  it.each([
    [['in the ma', 'rk here'], true],
    [[...'in the mark here'], true],
    [['xxxxxxxxxxm', 'a', 'rkxxxxxxxx'], true],
    [['mar', 'x', 'k'], false],
    [['k', 'mar'], false],
    [['no'], false],
  ])('is found across the pieces %j: %s', async (pieces, found) => {
    expect(await carried(['mark', 'something much longer'], ...pieces)).toBe(found);
  });

  it('is one of several', async () => {
    expect(await carried(['first', 'second'], 'the second')).toBe(true);
    expect(await carried([], 'anything')).toBe(false);
  });
});

it('each recording looks for its own marks', async () => {
  const recorder = new Recorder();
  const [one, two, all] = [recorder.record({ marks: ['one'] }), recorder.record({ marks: ['two'] }), recorder.record()];
  const statement = ran();
  recorder.began(statement);
  for (const piece of ['o', 'ne t', 'w']) recorder.search(Buffer.from(piece), statement);
  const own = async (recording: typeof one): Promise<boolean> => (await recording.stop()).statements[0]!.own;
  expect([await own(one), await own(two), await own(all)]).toEqual([true, false, true]);
});
