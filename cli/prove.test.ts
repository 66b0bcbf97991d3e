import { expect, test } from 'vitest';
import { runCli } from './fixtures/run-cli.ts';
import { fakeToolkit } from './fixtures/toolkit.ts';

test('the options reach the proof, and its exit code is the command’s', async () => {
  const toolkit = fakeToolkit();
  const argv = ['prove', '-p', 'sqlite/file', '-g', 'send-batch/*', '-m', 'send-batch/rev*', '--full', '--seed', '7'];
  const { exitCode, stdout } = await runCli([...argv, '--concurrency', '3', '--timeout', '5s'], { toolkit });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('1 of 1 mutant killed by their targets on 1 path');
  expect(toolkit.asked).toEqual([]);
  expect(toolkit.askedToProve).toMatchObject([
    {
      paths: ['sqlite/file'],
      guards: ['send-batch/*'],
      only: ['send-batch/rev*'],
      mutants: [],
      full: true,
      seed: 7,
      runs: 20,
      concurrency: 3,
      timeout: 5000,
      required: ['sqlite'],
    },
  ]);
});

test('without options the built-in backends on memory and sqlite are spoiled, by all mutants', async () => {
  const toolkit = fakeToolkit();
  await runCli(['prove'], { toolkit });
  expect(toolkit.askedToProve).toMatchObject([{ paths: ['memory', 'sqlite'], only: [], full: false, required: [] }]);
});

test('JSON goes to the output, and the report for people to the error stream', async () => {
  const { stdout, stderr } = await runCli(['prove', '-r', 'json', '-r', 'console']);
  expect(JSON.parse(stdout)).toMatchObject({ killed: { of: 1, killed: 1 }, exitCode: 0 });
  expect(stderr).toContain('1 of 1 mutant killed');
});

test.each([
  [
    ['prove', '-m', 'send-batch/reversed'],
    'no mutant matches "send-batch/reversed"; did you mean send-batch/reversed-ids?',
  ],
  [['prove', '-m', 'late-write'], 'no mutant matches "late-write"; did you mean */late-write?'],
  [['prove', '-g', 'send-batch/empty'], 'no guard matches "send-batch/empty"; did you mean send-batch/empty-batch?'],
  [['prove', '--concurrency', '0'], '--concurrency "0" is no whole number from 1 to 64'],
  [['prove', 'sqlite'], 'unexpected argument "sqlite"'],
  [['prove', '--fulll'], "unknown option '--fulll'; did you mean --full?"],
  [
    ['prove', '--host', 'inline'],
    'prove has no --host: it spoils many subjects side by side; ' +
      'run takes it, for one of them: contract-test --mutant <name> --guard <its target> --host <kind>',
  ],
  [
    ['prove', '--trace'],
    'prove has no --trace: it spoils many subjects side by side; ' +
      'run takes it, for one of them: contract-test --mutant <name> --guard <its target> --trace',
  ],
  [['run', '-m', 'send-batch/late'], 'no mutant is called "send-batch/late"; did you mean send-batch/late-write?'],
  [
    ['run', '-m', 'no-such-lie-at-all'],
    'no mutant is called "no-such-lie-at-all"; contract-test explain <guard> names the mutants of a guard',
  ],
  [['prov'], 'there is no command "prov"; did you mean prove?'],
])('%j is refused with a suggestion', async (argv, message) => {
  expect(await runCli(argv)).toEqual({ exitCode: 2, stdout: '', stderr: `contract-test: ${message}\n` });
});

test('run spoils the backends by a mutant, and says so', async () => {
  const toolkit = fakeToolkit();
  await runCli(['-m', 'send-batch/late-write', '-g', 'send-batch/*'], { toolkit });
  expect(toolkit.asked).toMatchObject([{ mutants: ['send-batch/late-write'] }]);
});
