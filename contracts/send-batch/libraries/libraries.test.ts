import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { testOptions } from '../../../runner/fixtures/judging.ts';
import type { Report, Verdict } from '../../../runner/report.ts';
import { run } from '../../../runner/run.ts';
import { costly, librariesAsMarkdown } from './document.ts';
import { shown } from './fixtures/alone/index.ts';
import { appliesToNone, everyday, type LibraryRecord, libraries } from './record.ts';

/** The adapters, by the names of their packages. */
const adapters: Record<string, string> = {
  'pg-boss': 'pg-boss',
  'graphile-worker': 'graphile-worker',
  knex: 'knex',
  'drizzle-orm': 'drizzle',
  sequelize: 'sequelize',
  bullmq: 'bullmq',
};
const all = Object.entries(libraries);

let report: Report;
beforeAll(async () => {
  const backends = all.map(([name]) => ({
    url: new URL(`./fixtures/${adapters[name]}.ts`, import.meta.url).href,
    export: 'default',
  }));
  const wanted = process.env.CONTRACT_TEST_LIBRARIES === 'all' ? `!(${costly})` : `@(${everyday.join('|')})`;
  const guards = [`**/${wanted}`];
  const options = { backends, runs: 2, timeout: 180_000, guards, concurrency: 3 };
  // One library is judged after the other.
  const ends: number[] = [];
  report = await run(testOptions(options), [{ pathStarted: () => void ends.push(performance.now()) }]);
  ends.push(performance.now());
  console.table(all.map(([name], i) => ({ name, seconds: Math.round((ends[i + 1]! - ends[i]!) / 1000) })));
}, 900_000);

/** What the record expects of every guard: a verdict, and the reason where it does not apply. */
function expectation({ violated, notApplicable }: LibraryRecord, guard: string): string {
  const found = violated[guard];
  if (found) return found.varies ? 'varies' : 'violated';
  const reasons = Object.entries({ ...appliesToNone, ...notApplicable });
  const reason = reasons.find(([, guards]) => guards.includes(guard))?.[0];
  return reason === undefined ? 'upheld' : `not-applicable: ${reason}`;
}

function inWords({ verdict, reason }: Verdict, expected: string): string {
  if (expected === 'varies' && ['upheld', 'violated'].includes(verdict)) return expected;
  return reason === null ? verdict : `${verdict}: ${reason.replace(/ \(.*\)$/, '')}`;
}

describe.each(all)('%s', (name, record) => {
  it('is the version that was judged', () => {
    const file = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: record.version });
  });

  it('gets the verdicts of the record', () => {
    const verdicts = report.verdicts.filter(({ backend }) => backend === name);
    const nameOf = ({ guard }: Verdict) => guard.split('/')[1]!;
    const expected = verdicts.map((v) => [nameOf(v), expectation(record, nameOf(v))] as const);
    const got = verdicts.map((v, i) => [nameOf(v), inWords(v, expected[i]![1])] as const);
    expect(verdicts.length).toBeGreaterThanOrEqual(everyday.length);
    expect(Object.fromEntries(got)).toEqual(Object.fromEntries(expected));
  });

  it('shows alone what is violated', () => {
    const alone = Object.keys(shown[name]!);
    expect(alone.sort()).toEqual(Object.keys(record.violated).sort());
  });
});

it('is the page docs/libraries.md', async () => {
  await expect(librariesAsMarkdown()).toMatchFileSnapshot('../../../docs/libraries.md');
});
