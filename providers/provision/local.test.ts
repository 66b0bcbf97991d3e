import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findPrograms, localPrograms, startLocal } from './local.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ct-local-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

function installation(...path: string[]): string {
  const bin = join(folder, ...path);
  mkdirSync(bin, { recursive: true });
  for (const name of ['initdb', 'postgres']) writeFileSync(join(bin, name), '');
  return bin;
}

it('takes the newest of several versions', () => {
  installation('usr/lib/postgresql/9/bin');
  const newest = installation('usr/lib/postgresql/15/bin');
  installation('usr/lib/postgresql/14/bin');
  mkdirSync(join(folder, 'usr/lib/postgresql/99'));
  mkdirSync(join(folder, 'usr/lib/postgresql/common/bin'), { recursive: true });
  expect(findPrograms(folder)?.postgres).toBe(join(newest, 'postgres'));
});

it('takes what is on the PATH, or where pg_config points, when no package is known', () => {
  const [path, elsewhere] = [join(folder, 'path'), installation('elsewhere')];
  mkdirSync(path);
  vi.stubEnv('PATH', `${path}:`);
  expect(findPrograms(folder)).toBeUndefined();
  writeFileSync(join(path, 'pg_config'), `#!/bin/sh\necho ${elsewhere}\n`);
  chmodSync(join(path, 'pg_config'), 0o755);
  expect(findPrograms(folder)?.initdb).toBe(join(elsewhere, 'initdb'));
  installation('path');
  expect(findPrograms(folder)?.initdb).toBe(join(path, 'initdb'));
  rmSync(join(path, 'initdb'));
  writeFileSync(join(path, 'pg_config'), '#!/bin/sh\nexit 1\n');
  expect(findPrograms(folder)).toBeUndefined();
});

// Where nothing is installed, that is what has to be said, unless CONTRACT_TEST_REQUIRE says that something must be.
const required = process.env.CONTRACT_TEST_REQUIRE?.split(',').includes('local');
it(`starts what is installed here: ${localPrograms()?.postgres ?? 'nothing'}`, async () => {
  if (localPrograms() || required) {
    const server = await startLocal();
    expect(server.way).toBe('local');
    await server.stop();
  } else {
    await expect(startLocal()).rejects.toThrow('no initdb and postgres were found on this machine; apt-get install');
  }
});
