import { rmSync } from 'node:fs';
import { directoriesOfTheDead, makeOwnedDirectory } from '../owned-directory.ts';

export { markKept } from '../owned-directory.ts';

const prefix = 'contract-test-sqlite-';

/** Makes a temporary directory whose name tells its owner. */
export function makeDirectory(): string {
  return makeOwnedDirectory(prefix);
}

/** Removes the directories of owners that are dead, except those that were to be kept; returns what it removed. */
export function sweepDirectories(): string[] {
  const dead = directoriesOfTheDead(prefix);
  for (const path of dead) rmSync(path, { recursive: true, force: true });
  return dead;
}
