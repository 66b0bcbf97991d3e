import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { mixedVerdicts, sampleReport } from './fixtures/sample-report.ts';
import { makeReporters, type ReporterSpec } from './index.ts';

const report = sampleReport(mixedVerdicts, { exitCode: 1 });

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-reporters-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function written(specs: ReporterSpec[], cwd = '.') {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd };
  const reporters = makeReporters(specs, streams, { strict: false, debug: false, seed: 42 });
  for (const reporter of reporters) await reporter.finished?.(report);
  return { stdout: String(streams.stdout.read() ?? ''), stderr: String(streams.stderr.read() ?? '') };
}

test('json writes the report as it is', async () => {
  const { stdout, stderr } = await written([{ name: 'json' }]);
  expect(JSON.parse(stdout)).toEqual(report);
  expect(stdout.endsWith('}\n')).toBe(true);
  expect(stderr).toBe('');
});

test('beside json on the output, the console report goes to the error stream', async () => {
  const { stdout, stderr } = await written([{ name: 'console' }, { name: 'json' }]);
  expect(JSON.parse(stdout)).toEqual(report);
  expect(stderr).toContain('exit code 1: a must clause is violated');
});

test('a json file leaves the output to the console report, and its folder is made', async () => {
  const cwd = scratch();
  const { stdout } = await written([{ name: 'json', file: 'reports/run.json' }, { name: 'console' }], cwd);
  expect(JSON.parse(readFileSync(join(cwd, 'reports/run.json'), 'utf8'))).toEqual(report);
  expect(stdout).toContain('exit code 1');
});

test('a json file that can no longer be written is wrong usage, with its path and the reason', async () => {
  const cwd = scratch();
  await expect(written([{ name: 'json', file: '.' }], cwd)).rejects.toMatchObject({
    name: 'UsageError',
    message: `--reporter json=${cwd} cannot be written: EISDIR: illegal operation on a directory`,
  });
});
