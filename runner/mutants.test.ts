import { afterAll, describe, expect, it } from 'vitest';
import { mutants } from '../contracts/mutants.ts';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { openPath, testOptions } from './fixtures/judging.ts';
import { judge, type PathContext } from './judge.ts';

const lies = mutants.filter((m) => !m.control);
const controls = mutants.filter((m) => m.control);
const guardOf = (id: string) => sendBatch.guards.find((g) => g.id === id);

// Between them every guard applies that needs no server: several connections, chunks of many rows, a process of its own.
const usual = 'sqlite/shared/values';
const elsewhere: Record<string, string> = {
  'wall-clock-time': 'sqlite/memory/values',
  'no-status-row-for-the-last': 'memory',
};
/** Lies that only a server can be told; judged where there is one. */
const needsServer = new Set(['dense-ids', 'loop-of-singles']);

const opened = new Map<string, ReturnType<typeof openPath>>();
async function spoiledBy(mutant: string): Promise<PathContext> {
  const path = elsewhere[mutant] ?? usual;
  if (!opened.has(path)) opened.set(path, openPath(testOptions({ paths: [path] })));
  const { context } = await opened.get(path)!;
  return {
    ...context,
    options: { ...context.options, mutants: [mutant], timeout: mutant.endsWith('never-settles') ? 2000 : 60_000 },
  };
}
afterAll(async () => {
  for (const path of opened.values()) await (await path).close();
});

describe('each behavioural mutant is caught by the guard that it is aimed at', () => {
  it.each(lies.filter((m) => !needsServer.has(m.id)).map((m) => [m.id, m] as const))('%s', async (_id, mutant) => {
    const guard = guardOf(mutant.target);
    expect(guard, `no guard is called ${mutant.target}`).toBeDefined();
    const verdict = await judge(guard!, await spoiledBy(mutant.id));
    expect(verdict, verdict.message ?? verdict.reason ?? '').toMatchObject({ verdict: mutant.expects });
  });
});

describe('the controls survive', () => {
  it.each(controls.map((m) => [m.id]))('%s', async (id) => {
    const context = await spoiledBy(id);
    for (const guard of sendBatch.guards) {
      const { verdict, message, reason, by } = await judge(guard, context);
      if (verdict === 'not-applicable' && (by === 'engine' || guard.id.endsWith('status-row-per-message'))) continue;
      expect({ guard: guard.id, verdict, message, reason }).toMatchObject({ verdict: 'upheld' });
    }
  });
});

it('every guard of the contract has a mutant aimed at it', () => {
  const aimed = new Set(lies.map((m) => m.target));
  const bare = sendBatch.guards.filter((g) => !g.id.startsWith('setup/') && !aimed.has(g.id));
  expect(bare.map((g) => g.id)).toEqual([]);
});
