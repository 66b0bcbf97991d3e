import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from './fixtures/run-cli.ts';
import { fakeToolkit } from './fixtures/toolkit.ts';
import { checkReports, checkTemporary } from './places.ts';

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-places-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a report may go into a folder that is not there yet; what is there stays as it is', () => {
  const folder = scratch();
  writeFileSync(join(folder, 'old.json'), '{}');
  checkReports([{ name: 'json', file: 'old.json' }, { name: 'json', file: 'a/b/new.json' }, { name: 'json' }], folder);
  expect(readFileSync(join(folder, 'old.json'), 'utf8')).toBe('{}');
  expect(readdirSync(join(folder, 'a/b'))).toEqual([]);
});

test.each([
  ['run', 'file/report.json', 'ENOTDIR: not a directory'],
  ['prove', 'file/report.json', 'ENOTDIR: not a directory'],
  ['run', 'folder', 'EISDIR: illegal operation on a directory'],
])('%s refuses a report that cannot be written to %s before anything runs', async (command, file, reason) => {
  const cwd = scratch();
  writeFileSync(join(cwd, 'file'), '');
  checkReports([{ name: 'json', file: 'folder/x' }], cwd);
  const toolkit = fakeToolkit();
  expect(await runCli([command, '-r', `json=${file}`], { cwd, toolkit })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `contract-test: --reporter json=${file} cannot be written: ${reason}\n`,
  });
  expect([...toolkit.asked, ...toolkit.askedToProve]).toEqual([]);
});

test.runIf(existsSync('/proc/self'))('a place that is no file system for files is refused at once', () => {
  for (const file of ['/proc/x', '/proc/x/y.json'])
    expect(() => checkReports([{ name: 'json', file }], '/')).toThrow(
      `--reporter json=${file} cannot be written: ENOENT`,
    );
});

test('a folder for temporary files that is not there is refused', () => {
  const folder = join(scratch(), 'nowhere');
  expect(() => checkTemporary(folder)).toThrow(`no temporary files can be made in ${folder}: ENOENT: no such file`);
  checkTemporary();
});
