import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { directoriesOfTheDead, makeOwnedDirectory, markKept } from '../owned-directory.ts';
import { EngineUnavailable, type Provision } from '../provider.ts';
import { siblingModule } from '../sibling-module.ts';
import { type Account, serverAccount, temporaryFolder, unprivileged } from './account.ts';
import { freePort } from './free-port.ts';
import { endServerOf, killWithChildren } from './processes.ts';
import type { Address, OwnServer, Server } from './server.ts';

const prefix = 'contract-test-postgres-';
/** Another process may take a port between the moment it was found free and the server's start. */
const launches = 5;

/** The programs of one installation of PostgreSQL. */
export interface Programs {
  initdb: string;
  postgres: string;
}

/** Finds programs that the account can run; what it has to copy goes into the directory. */
export type FindPrograms = (directory: string, account: Account | undefined) => Programs | Promise<Programs>;

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  timezone: 'UTC',
  // What a kill of the server's processes shows does not depend on the disk: what has left them, the machine has.
  fsync: 'off',
  full_page_writes: 'off',
  // Frequent checkpoints keep the recovery after a kill short.
  max_wal_size: '64MB',
  // Messages are read here and shown to people; what they say must not depend on the machine.
  lc_messages: 'C',
};

/** A server in a temporary directory, on a free port of the loopback interface, for one run. */
export class PrivateServer implements Server, OwnServer {
  readonly way: Provision;
  readonly address: Address;
  readonly own = this;
  readonly #directory: string;
  readonly #data: string;
  readonly #programs: Programs;
  readonly #account: Account | undefined;
  readonly #watchdog: ChildProcess;
  #process: ChildProcess | undefined;
  /** The last lines of the server's log. */
  #log = '';
  #kept = false;
  #stopped = false;

  private constructor(way: Provision, directory: string, programs: Programs, account: Account | undefined) {
    this.way = way;
    this.#directory = directory;
    this.#data = join(directory, 'data');
    this.#programs = programs;
    this.#account = account;
    const password = randomBytes(18).toString('base64url');
    this.address = { host: '127.0.0.1', port: 0, user: 'postgres', password, database: 'postgres' };
    this.#watchdog = startWatchdog(directory);
  }

  /** Starts a server; `findPort` is asked again when somebody else was quicker. */
  static async start(way: Provision, find: FindPrograms, findPort = freePort): Promise<PrivateServer> {
    const account = serverAccount();
    const parent = temporaryFolder(account);
    await sweep(parent);
    const directory = makeOwnedDirectory(prefix, parent);
    // The account passes through, and finds what it knows the name of.
    if (account) chmodSync(directory, 0o711);
    let server: PrivateServer | undefined;
    try {
      server = new PrivateServer(way, directory, await find(directory, account), account);
      await server.#initialise();
      await server.#launch(findPort);
      return server;
    } catch (cause) {
      if (server) await server.stop();
      else rmSync(directory, { recursive: true, force: true });
      throw cause;
    }
  }

  get ended(): string | undefined {
    return this.#process || this.#stopped ? undefined : this.#log.trim();
  }

  async kill(): Promise<number[]> {
    const child = this.#process;
    if (!child) return [];
    child.ref();
    const gone = once(child, 'exit');
    const pids = await killWithChildren(child.pid!);
    await gone;
    return pids;
  }

  async restart(): Promise<string> {
    const { port } = this.address;
    if (!this.#process) await this.#launch(async () => port);
    const recovery = /LOG: +(database system was (?:not properly shut down|shut down).*)/.exec(this.#log)?.[1];
    const place = `${basename(this.#directory)}/${basename(this.#data)}`;
    return `the server runs again on its data directory ${place} and its port ${port}; its log says: ${recovery ?? 'nothing of a recovery'}`;
  }

  keep(): string {
    if (!this.#kept) {
      this.#kept = true;
      const { user, password, port } = this.address;
      const options = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
      const server = [this.#programs.postgres, '-D', this.#data, ...options.flatMap((option) => ['-c', option])];
      const start = shellLine(server);
      // The data are not root's, and root may not start a server.
      const line = this.#account ? shellLine(['su', '-s', '/bin/sh', unprivileged, '-c', `exec ${start}`]) : start;
      const how = `Left in place on request. Start it with: ${line}\nThe password of ${user} is ${password}`;
      markKept(this.#directory, how);
      chmodSync(join(this.#directory, 'KEPT'), 0o600);
    }
    return `${this.#data} (${join(this.#directory, 'KEPT')} tells how to start a server on it)`;
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    const child = this.#process;
    if (child) {
      child.ref();
      const gone = once(child, 'exit');
      // What is not kept need not be saved.
      child.kill(this.#kept ? 'SIGINT' : 'SIGQUIT');
      const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(patience);
    }
    if (!this.#kept) rmSync(this.#directory, { recursive: true, force: true });
    await endWatchdog(this.#watchdog);
  }

  async #initialise(): Promise<void> {
    const passwordFile = join(this.#directory, 'password');
    writeFileSync(passwordFile, `${this.address.password}\n`, { mode: 0o600 });
    const data = this.#data;
    if (this.#account) {
      const { uid, gid } = this.#account;
      chownSync(passwordFile, uid, gid);
      // It may not make a directory in ours.
      mkdirSync(data, { mode: 0o700 });
      chownSync(data, uid, gid);
    }
    const child = this.#spawn(this.#programs.initdb, [
      ...['-D', data, '-U', this.address.user, '-E', 'UTF8', '--locale=C', '--auth=scram-sha-256'],
      ...[`--pwfile=${passwordFile}`, '--no-sync', '--wal-segsize=1', '--no-instructions'],
    ]);
    const [code] = await ended(child);
    rmSync(passwordFile);
    if (code !== 0) throw new EngineUnavailable(`initdb failed: ${lastLines(this.#log)}`);
  }

  /** Starts the server and waits until it takes connections. */
  async #launch(findPort: () => Promise<number>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.address.port = await findPort();
      const options = Object.entries({ ...settings, port: this.address.port });
      this.#log = '';
      const child = this.#spawn(this.#programs.postgres, [
        '-D',
        this.#data,
        ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]);
      if (await isReady(child)) {
        this.#process = child;
        child.once('exit', () => {
          this.#process = undefined;
        });
        child.unref();
        (child.stderr as Socket).unref();
        return;
      }
      const taken = /Address already in use/.test(this.#log);
      if (!taken || attempt === launches) {
        throw new EngineUnavailable(`the PostgreSQL server did not start: ${lastLines(this.#log)}`);
      }
    }
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const child = spawn(program, args, {
      ...this.#account,
      cwd: '/',
      env: environment(),
      // In a group of its own, so that Ctrl-C reaches the judge alone, which then ends the server.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-4000);
    });
    return child;
  }
}

/** Ends what judges that were killed left running, and removes their directories. */
async function sweep(parent: string): Promise<void> {
  for (const directory of directoriesOfTheDead(prefix, parent)) {
    await endServerOf(join(directory, 'data'));
    rmSync(directory, { recursive: true, force: true });
  }
}

function startWatchdog(directory: string): ChildProcess {
  const program = fileURLToPath(siblingModule('watchdog', import.meta.url));
  const child = spawn(process.execPath, [program, directory], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin!.on('error', () => {});
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

async function endWatchdog(watchdog: ChildProcess): Promise<void> {
  if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
  watchdog.ref();
  const gone = once(watchdog, 'exit');
  watchdog.kill('SIGKILL');
  await gone;
}

/** Settings of the caller's for other servers (PGPORT, PGDATA, ...) have no say here. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, SystemRoot } = process.env;
  return { PATH, LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, SystemRoot, LC_ALL: 'C' };
}

async function ended(child: ChildProcess): Promise<[number | null]> {
  try {
    return (await once(child, 'close')) as [number | null];
  } catch (cause) {
    throw new EngineUnavailable(`${child.spawnfile} cannot be run: ${(cause as Error).message}`);
  }
}

/** Whether the server takes connections now; false when it has ended instead. */
function isReady(child: ChildProcess): Promise<boolean> {
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', (text: string) => {
      log = (log + text).slice(-4000);
      if (log.includes('ready to accept connections')) resolve(true);
    });
    child.once('close', () => resolve(false));
    child.once('error', (cause) => reject(new EngineUnavailable(`${child.spawnfile}: ${cause.message}`)));
  });
}

/** A command as a shell takes it. */
function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

function lastLines(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-3).join(' | ') || 'it said nothing';
}
