import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memory } from '../../../providers/memory/index.ts';
import type { Engine } from '../../../providers/provider.ts';
import { openPath, testOptions } from '../../../runner/fixtures/judging.ts';
import { judge } from '../../../runner/judge.ts';
import type { Verdict } from '../../../runner/report.ts';
import type { RunOptions } from '../../../runner/run-options.ts';
import { sendBatch } from '../index.ts';
import { allIds, type BankEntry, bank, type Caught } from './bank.ts';
import { bankAsMarkdown, tallies } from './document.ts';
import { implementations, twinOf } from './fixtures/on-memory.ts';

const module = { url: new URL('./fixtures/on-memory.ts', import.meta.url).href, export: 'default' };

let engine: Engine;
beforeAll(async () => {
  engine = await memory.start({});
});
afterAll(async () => {
  await engine.stop();
  console.table(tallies());
});

/** What a guard decides about one queue of the bank; it ends at the first violation. */
async function judged(queue: string, { by, inWorker }: Caught, options: Partial<RunOptions> = {}): Promise<Verdict> {
  const id = by.includes('/') ? by : `send-batch/${by}`;
  const guard = sendBatch.guards.find((g) => g.id === id);
  if (!guard) throw new Error(`no guard is called ${id}`);
  const host = inWorker ? 'worker' : 'inline';
  const { context, close } = await openPath(
    testOptions({ backends: [module], paths: [`memory/${queue}`], host, runs: 10, ...options }),
    engine,
  );
  try {
    return await judge(guard, { ...context, firstOnly: true });
  } finally {
    await close();
  }
}

const honest = new Map<string, Promise<Verdict>>();

/** What the guard decides about the honest queue from which an entry deviates; many have the same. */
function judgedTwin(queue: string, caught: Caught): Promise<Verdict> {
  const twin = twinOf(queue);
  const key = `${twin} ${caught.by}`;
  const verdict = honest.get(key) ?? judged(twin, caught);
  honest.set(key, verdict);
  return verdict;
}

const all: BankEntry[] = Object.values(bank).flat();
const caught = all.flatMap(({ id, covered }) => ('by' in covered ? [{ id, covered, queue: covered.like ?? id }] : []));

describe('the table', () => {
  it('holds every entry once', () => {
    expect(all.map(({ id }) => id).sort()).toEqual([...allIds].sort());
  });

  it('has an implementation for every entry that is caught, and no other', () => {
    const own = caught.flatMap(({ id, covered }) => (covered.like ? [] : [id]));
    expect(Object.keys(implementations).sort()).toEqual(own.sort());
  });

  it('is the table of docs/bug-bank.md', async () => {
    await expect(bankAsMarkdown()).toMatchFileSnapshot('../../../docs/bug-bank.md');
  });
});

describe('every faulty queue is caught by the guard of its clause, and its correct twin is not', () => {
  it.each(caught)('$id: $covered.by', async ({ covered, queue }) => {
    const options = covered.within === undefined ? {} : { timeout: covered.within };
    const faulty = await judged(queue, covered, options);
    expect(faulty).toMatchObject({ verdict: 'violated', message: expect.any(String) });
    const twin = await judgedTwin(queue, covered);
    expect({ ...twin, counterexample: null }).toMatchObject({ verdict: 'upheld', message: null });
  });
});
