import { expect, test } from 'vitest';
import { testOptions } from './fixtures/judging.ts';
import { replayLine } from './replay.ts';
import { defaultRuns, defaultTimeout, type RunOptions } from './run-options.ts';

const replay = (options: Partial<RunOptions>, name: string | null = null) =>
  replayLine(
    { guard: 'send-batch/x', path: 'postgres/copy' },
    testOptions({ seed: 7, runs: defaultRuns, timeout: defaultTimeout, ...options }),
    name,
  );

test.each<[Partial<RunOptions>, string]>([
  [{}, '--guard send-batch/x --seed 7'],
  [{ provision: 'local' }, '--provision local --guard send-batch/x --seed 7'],
  [
    { url: { address: 'postgres://me:s3cret@host/db', named: '@my url' } },
    "--url '@my url' --guard send-batch/x --seed 7",
  ],
  [{ backendFiles: ['a.ts#b', "it's.ts"] }, "--backend 'a.ts#b' --backend 'it'\\''s.ts' --guard send-batch/x --seed 7"],
  [{ mutants: ['send-batch/a'] }, '--mutant send-batch/a --guard send-batch/x --seed 7'],
  [{ runs: 5, host: 'process' }, '--guard send-batch/x --seed 7 --runs 5 --host process'],
  [{ timeout: 1000 }, '--guard send-batch/x --seed 7 --timeout 1s'],
  [{ timeout: 1500 }, '--guard send-batch/x --seed 7 --timeout 1500ms'],
])('%j is replayed as it was asked for, without a password', (options, words) => {
  expect(replay(options)).toBe(`npx contract-test --provider postgres/copy ${words}`);
});

test('a case is named', () => {
  expect(replay({}, 'generated@1:2')).toMatch(/ --replay generated@1:2$/);
});
