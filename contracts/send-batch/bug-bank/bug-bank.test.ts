import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HostKind } from '../../../host/host.ts';
import { memory } from '../../../providers/memory/index.ts';
import { postgres } from '../../../providers/postgres/index.ts';
import type { Engine } from '../../../providers/provider.ts';
import { sqlite } from '../../../providers/sqlite/index.ts';
import { openPath, testOptions } from '../../../runner/fixtures/judging.ts';
import { judge } from '../../../runner/judge.ts';
import type { Verdict } from '../../../runner/report.ts';
import type { Guard } from '../../kernel/guard.ts';
import { sendBatch } from '../index.ts';
import { allIds, bank } from './bank.ts';
import { bankAsMarkdown, tallies } from './document.ts';
import type { Caught } from './entry.ts';
import { checks } from './fixtures/checks.ts';
import { twins as onMemory } from './fixtures/on-memory.ts';
import { twins as onPostgres } from './fixtures/on-postgres.ts';
import { twins as onSqlite } from './fixtures/on-sqlite.ts';

const paths = { memory: 'memory', sqlite: 'sqlite/shared', postgres: 'postgres' };
type EngineName = keyof typeof paths;

/** The correct twin of every faulty queue, by the engine that it writes to. */
const twins: Record<EngineName, Readonly<Record<string, string>>> = {
  memory: onMemory,
  sqlite: onSqlite,
  postgres: onPostgres,
};

let engines: Record<EngineName, Engine>;
beforeAll(async () => {
  engines = {
    memory: await memory.start({}),
    sqlite: await sqlite.start({}),
    postgres: await postgres.start({ provision: 'embedded' }),
  };
});
afterAll(async () => {
  await Promise.all(Object.values(engines).map((engine) => engine.stop()));
  console.table(tallies());
});

/** How a queue is judged. */
interface Judging {
  on: EngineName;
  guard: Guard;
  host?: HostKind;
  within?: number;
}

/** What a guard decides about one queue of the bank; it ends at the first violation. */
async function judged(queue: string, { on, guard, host = 'inline', within }: Judging): Promise<Verdict> {
  const url = new URL(`./fixtures/on-${on}.ts`, import.meta.url).href;
  const { context, close } = await openPath(
    testOptions({
      backends: [{ url, export: 'default' }],
      paths: [`${paths[on]}/${queue}`],
      host,
      runs: 10,
      timeout: within ?? 60_000,
    }),
    engines[on],
  );
  try {
    return await judge(guard, { ...context, firstOnly: true });
  } finally {
    await close();
  }
}

function howToJudge({ by, on, host, within }: Caught): Judging {
  const id = by.includes('/') ? by : `send-batch/${by}`;
  const guard = sendBatch.guards.find((g) => g.id === id);
  if (!guard) throw new Error(`no guard is called ${id}`);
  return { on: on ?? 'memory', guard, ...(host && { host }), ...(within && { within }) };
}

const honest = new Map<string, Promise<Verdict>>();

/** What the guard decides about an honest queue, from which several entries may deviate. */
function judgedTwin(twin: string, { within: _, ...judging }: Judging): Promise<Verdict> {
  const key = `${judging.on} ${twin} ${judging.guard.id}`;
  const verdict = honest.get(key) ?? judged(twin, judging);
  honest.set(key, verdict);
  return verdict;
}

const all = Object.values(bank).flat();
const caught = all.flatMap(({ id, covered }) => ('by' in covered ? [{ id, covered }] : []));

describe('the table', () => {
  it('holds every entry once', () => {
    expect(all.map(({ id }) => id).sort()).toEqual([...allIds].sort());
  });

  it('has an implementation for every entry that is caught, and no other', () => {
    const own = caught.flatMap(({ id, covered: { on, like } }) => (like ? [] : [`${on ?? 'memory'} ${id}`]));
    const there = Object.entries(twins).flatMap(([on, queues]) => Object.keys(queues).map((id) => `${on} ${id}`));
    expect(there.sort()).toEqual(own.sort());
    const checked = all.flatMap(({ id, covered }) => ('check' in covered ? [id] : []));
    expect(Object.keys(checks).sort()).toEqual(checked.sort());
  });

  it('is the table of docs/bug-bank.md', async () => {
    await expect(bankAsMarkdown()).toMatchFileSnapshot('../../../docs/bug-bank.md');
  });
});

describe('every faulty queue is caught by the guard of its clause, and its correct twin is not', () => {
  it.concurrent.each(caught)('$id: $covered.by', async ({ id, covered }) => {
    const judging = howToJudge(covered);
    const queue = covered.like ?? id;
    const verdicts = [await judged(queue, judging), await judgedTwin(twins[judging.on][queue]!, judging)];
    expect(verdicts).toMatchObject([
      { verdict: 'violated', message: expect.any(String), reason: null },
      { verdict: 'upheld', message: null, reason: null },
    ]);
  });
});

describe('a check that cannot fail is vacuous, and as it should be it is not', () => {
  it.each(Object.entries(checks))('%s', async (_id, { faulty, honest }) => {
    const verdict = async (guard: Guard) => (await judged('twin-0', { on: 'memory', guard })).verdict;
    expect([await verdict(faulty), await verdict(honest)]).toEqual(['vacuous', 'upheld']);
  });
});
