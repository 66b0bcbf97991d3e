import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EngineUnavailable } from '../provider.ts';
import { PrivateServer, type Programs } from './private-server.ts';
import type { Server } from './server.ts';

const install = 'apt-get install postgresql (Debian, Ubuntu) or brew install postgresql (macOS)';

/** Starts a private server from the programs that are installed on this machine. */
export async function startLocal(): Promise<Server> {
  const programs = localPrograms();
  if (!programs) {
    throw new EngineUnavailable(`no initdb and postgres were found on this machine; ${install} installs them`);
  }
  return PrivateServer.start('local', () => programs);
}

/** The newest programs in the places where packages put them, or else on the PATH. */
export function localPrograms(): Programs | undefined {
  return findPrograms('/');
}

/** The programs of a file system whose packages lie under `root`. */
export function findPrograms(root: string): Programs | undefined {
  for (const folder of [...packageFolders(root), ...pathFolders(), ...configuredFolder()]) {
    const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
    if (existsSync(programs.initdb) && existsSync(programs.postgres)) return programs;
  }
  return undefined;
}

function packageFolders(root: string): string[] {
  return [
    ...versions(join(root, 'usr/lib/postgresql'), ''),
    ...versions(join(root, 'usr'), 'pgsql-'),
    ...versions(join(root, 'opt/homebrew/opt'), 'postgresql@'),
    ...versions(join(root, 'usr/local/opt'), 'postgresql@'),
    join(root, 'opt/homebrew/bin'),
    join(root, 'usr/local/bin'),
  ];
}

/** Folders such as /usr/lib/postgresql/15/bin, the newest first. */
function versions(parent: string, prefix: string): string[] {
  if (!existsSync(parent)) return [];
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
    .map((name) => join(parent, name, 'bin'));
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

function configuredFolder(): string[] {
  const config = pathFolders()
    .map((folder) => join(folder, 'pg_config'))
    .find((program) => existsSync(program));
  if (!config) return [];
  try {
    return [execFileSync(config, ['--bindir'], { encoding: 'utf8' }).trim()];
  } catch {
    return [];
  }
}
