import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ReporterSpec } from '../reporters/index.ts';
import { reasonOf, unwritable } from '../reporters/unwritable.ts';
import { UsageError } from '../runner/usage-error.ts';

/** Refuses, before anything runs, files of reporters that could not be written at its end. */
export function checkReports(reporters: readonly ReporterSpec[], cwd: string): void {
  for (const { name, file } of reporters) {
    if (file === undefined) continue;
    const full = resolve(cwd, file);
    try {
      makeFolder(dirname(full));
      const isNew = !existsSync(full);
      closeSync(openSync(full, 'a'));
      if (isNew) unlinkSync(full);
    } catch (error) {
      throw unwritable(name, file, error);
    }
  }
}

/** Refuses a folder for temporary files in which none can be made. */
export function checkTemporary(folder = tmpdir()): void {
  try {
    rmdirSync(mkdtempSync(join(folder, 'contract-test-')));
  } catch (error) {
    throw new UsageError(
      `no temporary files can be made in ${folder}: ${reasonOf(error)}`,
      'TMPDIR names another folder',
    );
  }
}

/** Step by step: told to make the folders above as well, Node never comes back from places such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
