import { expect, it } from 'vitest';
import { testOptions } from './fixtures/judging.ts';
import type { Verdict } from './report.ts';
import { run } from './run.ts';

const judge = async (paths: string[], guards: string[]) => {
  const events: string[] = [];
  const report = await run(testOptions({ contracts: ['send-batch'], paths, guards, timeout: 60_000 }), [
    {
      pathStarted: ({ path }) => void events.push(`${path} begins`),
      verdict: ({ path, guard }: Verdict) => void events.push(`${path} ${guard}`),
    },
  ]);
  return { events, report };
};

it('judges the setup of a path first, and begins the next path when nothing of it is left to begin', async () => {
  const paths = ['sqlite/memory/prepared', 'sqlite/memory/values'];
  const { events, report } = await judge(paths, ['*/namespace-exists', '*/ids-in-caller-order', '*/empty-batch']);
  const at = (event: string) => events.indexOf(event);
  for (const path of paths) {
    const verdicts = events.filter((event) => event.startsWith(`${path} `)).slice(1);
    expect(verdicts[0]).toBe(`${path} setup/namespace-exists`);
    expect(verdicts).toHaveLength(3);
  }
  // The guard of ids takes longest by far: the next path does not wait for its end.
  expect(at(`${paths[1]} begins`)).toBeLessThan(at(`${paths[0]} send-batch/ids-in-caller-order`));
  expect(report.paths.map(({ path }) => path)).toEqual(paths);
  expect(report.exitCode).toBe(0);
});

it('leaves the guards that need the engine for themselves alone', async () => {
  const { events } = await judge(
    ['sqlite/shared/prepared', 'sqlite/shared/values'],
    ['*/race-happened', '*/empty-batch'],
  );
  expect(events).toEqual([
    'sqlite/shared/prepared begins',
    'sqlite/shared/prepared send-batch/empty-batch',
    'sqlite/shared/values begins',
    'sqlite/shared/prepared setup/race-happened',
    'sqlite/shared/values send-batch/empty-batch',
    'sqlite/shared/values setup/race-happened',
  ]);
});

it('judges what takes long, and is about the variant alone, in one mode of each variant', async () => {
  const guards = ['*/no-cliff-at-large-sizes'];
  const { report } = await judge(['sqlite/memory/prepared', 'sqlite/shared/prepared'], guards);
  const verdicts = Object.fromEntries(report.verdicts.map((v) => [v.path, [v.verdict, v.by, v.reason]]));
  expect(verdicts).toEqual({
    'sqlite/memory/prepared': ['upheld', null, null],
    'sqlite/shared/prepared': ['not-applicable', 'run', expect.stringContaining('judged on sqlite/memory/prepared')],
  });
});
