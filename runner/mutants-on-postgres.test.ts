import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mutant } from '../contracts/kernel/mutant.ts';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { sendBatchMutants } from '../contracts/send-batch/mutants/index.ts';
import { openPath, testOptions } from './fixtures/judging.ts';
import { judge } from './judge.ts';
import type { Verdict, VerdictName } from './report.ts';

const backends = [{ url: new URL('../reference-impl/postgres/index.ts', import.meta.url).href, export: 'default' }];

/** Lies that cannot be told on this path: why not, and what the guard says of them. */
const untold: { id: string; why: string; verdict: VerdictName }[] = [
  { id: 'another-clock-in-batch', why: 'no clock of a process stamps the rows', verdict: 'upheld' },
  { id: 'row-that-tips-the-limit-is-lost', why: "it goes by SQLite's limit of parameters", verdict: 'upheld' },
  { id: 'no-status-row-for-the-last', why: 'there is no table of statuses', verdict: 'not-applicable' },
];

const lies = sendBatchMutants.filter((m) => !m.control);
/** All of them take minutes: `npm run campaign` runs all, the test suite those that a server adds something to. */
const usual = [
  'dense-ids',
  'loop-of-singles',
  'ids-reversed',
  'flash-one-row',
  'second-batch-reuses-ids',
  'failure-reports-fewer',
];
const whole = process.env.CONTRACT_TEST_CAMPAIGN !== undefined;
const told = lies.filter((m) => !untold.some(({ id }) => id === m.id) && (whole || usual.includes(m.id)));

describe('on PostgreSQL each behavioural mutant is caught by the guard that it is aimed at', () => {
  let path: Awaited<ReturnType<typeof openPath>>;
  beforeAll(async () => {
    path = await openPath(testOptions({ backends, paths: ['postgres/values'], runs: 5 }));
  });
  afterAll(() => path.close());

  async function judged({ id, target }: Mutant): Promise<Verdict> {
    const guard = sendBatch.guards.find((g) => g.id === target)!;
    // What never settles is ended by the deadline; only there it has to be near.
    const timeout = id.endsWith('-never-settles') ? 2000 : 120_000;
    return judge(guard, { ...path.context, hung: false, options: { ...path.context.options, mutants: [id], timeout } });
  }

  it.each(told.map((m) => [m.id, m] as const))(
    '%s',
    async (_id, mutant) => {
      const { verdict, message, reason } = await judged(mutant);
      expect({ verdict, message, reason }).toMatchObject({ verdict: mutant.expects });
    },
    180_000,
  );

  it.each(untold)(
    '$id cannot be told here: $why',
    async ({ id, verdict }) => {
      expect(await judged(lies.find((m) => m.id === id)!)).toMatchObject({ verdict, message: null });
    },
    180_000,
  );
});
