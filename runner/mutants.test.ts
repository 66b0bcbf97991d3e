import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutants } from '../contracts/mutants.ts';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { openPath, testOptions } from './fixtures/judging.ts';
import { judge, type PathContext } from './judge.ts';

const lies = mutants.filter((m) => !m.control);
const controls = mutants.filter((m) => m.control);
const guardOf = (id: string) => sendBatch.guards.find((g) => g.id === id);

// A path that every guard applies to: several connections, a single path, and chunks of many rows.
const path = 'sqlite/shared/values';
let opened: Awaited<ReturnType<typeof openPath>>;
const spoiledBy = (mutant: string): PathContext => ({
  ...opened.context,
  options: { ...opened.context.options, mutants: [mutant], timeout: 4000 },
});

beforeAll(async () => {
  opened = await openPath(testOptions({ paths: [path] }));
});
afterAll(() => opened.close());

describe('each behavioural mutant is caught by the guard that it is aimed at', () => {
  it.each(lies.map((m) => [m.id, m] as const))('%s', async (_id, mutant) => {
    const guard = guardOf(mutant.target);
    expect(guard, `no guard is called ${mutant.target}`).toBeDefined();
    const verdict = await judge(guard!, spoiledBy(mutant.id));
    expect(verdict, verdict.message ?? verdict.reason ?? '').toMatchObject({ verdict: mutant.expects });
  });
});

describe('the controls survive', () => {
  it.each(controls.map((m) => [m.id]))('%s', async (id) => {
    const context = spoiledBy(id);
    for (const guard of sendBatch.guards) {
      const { verdict, message, reason } = await judge(guard, context);
      expect({ guard: guard.id, verdict, message, reason }).toMatchObject({ verdict: 'upheld' });
    }
  });
});

it('every guard of the contract has a mutant aimed at it', () => {
  const aimed = new Set(lies.map((m) => m.target));
  const bare = sendBatch.guards.filter((g) => !g.id.startsWith('setup/') && !aimed.has(g.id));
  expect(bare.map((g) => g.id)).toEqual([]);
});
