import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeDirectory, markKept, sweepDirectories } from './directory.ts';

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** A directory as another process would have made it. */
function directoryOf(owner: { pid?: number; started?: string; namespace?: string }): string {
  const own = makeDirectory();
  made.push(own);
  const match = /^(.*-)(\d+)-(\d+)-(\d+)-(\w+)$/.exec(basename(own))!;
  const [, prefix, pid, started, namespace, random] = match;
  const name = `${prefix}${owner.pid ?? pid}-${owner.started ?? started}-${owner.namespace ?? namespace}-${random}x`;
  const path = join(dirname(own), name);
  mkdirSync(path);
  writeFileSync(join(path, 'ct-1.db'), '');
  made.push(path);
  return path;
}

function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

it('sweeps what a dead process left', () => {
  const path = directoryOf({ pid: deadPid(), started: '1' });
  expect(sweepDirectories()).toContain(path);
  expect(existsSync(path)).toBe(false);
});

it('sweeps what was left where the start of a process is not known', () => {
  const path = directoryOf({ pid: deadPid(), started: '0' });
  sweepDirectories();
  expect(existsSync(path)).toBe(false);
});

it("sweeps what a process left whose number is somebody else's now", () => {
  const path = directoryOf({ started: '1' });
  sweepDirectories();
  expect(existsSync(path)).toBe(false);
});

it('leaves what belongs to a living process', () => {
  const paths = [makeDirectory(), directoryOf({}), directoryOf({ started: '0' })];
  made.push(paths[0]!);
  sweepDirectories();
  expect(paths.map((path) => existsSync(path))).toEqual([true, true, true]);
});

it('leaves what is to be kept, and what belongs to another container', () => {
  const pid = deadPid();
  const kept = directoryOf({ pid, started: '1' });
  markKept(kept);
  const foreign = directoryOf({ pid, started: '1', namespace: '1' });
  sweepDirectories();
  expect([existsSync(kept), existsSync(foreign)]).toEqual([true, true]);
});

it('leaves what only looks like ours', () => {
  const path = `${directoryOf({})}-and-more`;
  mkdirSync(path);
  made.push(path);
  sweepDirectories();
  expect(existsSync(path)).toBe(true);
});
