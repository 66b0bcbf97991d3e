import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { serverAccount } from './account.ts';
import { packageRoot, programsIn, startEmbedded } from './embedded.ts';
import { freePort } from './free-port.ts';
import { PrivateServer } from './private-server.ts';
import type { Address, Server } from './server.ts';

const started: Server[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

async function start(): Promise<Server> {
  const server = await startEmbedded();
  started.push(server);
  return server;
}

async function ask(address: Address, sql: string): Promise<unknown> {
  const client = new pg.Client(address as pg.ClientConfig);
  await client.connect();
  // Several statements have several results.
  const results = [await client.query(sql).finally(() => client.end())].flat();
  return Object.values(results.at(-1)!.rows[0] ?? {})[0];
}

/** The temporary directory of a server. */
const directoryOf = async (address: Address): Promise<string> =>
  dirname(String(await ask(address, "SELECT current_setting('data_directory')")));

/** Processes whose command line names a directory. */
const processesOf = (directory: string): number[] =>
  execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(directory))
    .map((line) => Number.parseInt(line, 10));

/** A judge in a process of its own, which has started a server. */
async function judge(): Promise<{ child: ChildProcess; address: Address; directory: string }> {
  const program = fileURLToPath(new URL('./fixtures/judge.ts', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('the judge has ended')));
  const said = once(createInterface(child.stdout!), 'line');
  const [line] = (await Promise.race([said, failed])) as [string];
  failed.catch(() => {});
  const address = JSON.parse(line) as Address;
  return { child, address, directory: await directoryOf(address) };
}

it('a private server listens on the loopback interface, wants its password, and leaves nothing behind', async () => {
  const server = await start();
  const { address } = server;
  const directory = await directoryOf(address);
  expect(await ask(address, "SELECT current_setting('listen_addresses')")).toBe('127.0.0.1');
  expect(await ask(address, "SELECT current_setting('fsync')")).toBe('off');
  expect(await ask(address, "SELECT current_setting('synchronous_commit')")).toBe('on');
  await expect(ask({ ...address, password: 'wrong' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  expect(statSync(directory).mode & 0o066).toBe(0);
  expect(processesOf(directory).length).toBeGreaterThan(1);
  await server.stop();
  await server.stop();
  expect(existsSync(directory)).toBe(false);
  expect(processesOf(directory)).toEqual([]);
});

it('it runs as somebody who is not root', async () => {
  const { address } = await start();
  const owner = statSync(String(await ask(address, "SELECT current_setting('data_directory')"))).uid;
  expect(owner).toBe(serverAccount()?.uid ?? process.getuid?.());
  expect(owner).not.toBe(0);
});

it('what was acknowledged is there after a kill, with the server on the same port', async () => {
  const { address, own } = await start();
  await ask(address, 'CREATE TABLE t (id int); INSERT INTO t VALUES (1)');
  const client = new pg.Client(address as pg.ClientConfig);
  const lost = new Promise((resolve) => client.on('error', resolve));
  await client.connect();
  await own!.kill();
  await lost;
  expect(own!.ended).toContain('ready to accept connections');
  await own!.kill();
  await own!.restart();
  await own!.restart();
  expect(own!.ended).toBeUndefined();
  expect(await ask(address, 'SELECT count(*)::int FROM t')).toBe(1);
});

it('a server that was left in place can be started again', async () => {
  const server = await start();
  const { address, own } = server;
  await ask(address, 'CREATE TABLE kept (id int)');
  const directory = await directoryOf(address);
  expect(own!.keep()).toContain(directory);
  expect(own!.keep()).not.toContain(address.password);
  await server.stop();
  const note = readFileSync(`${directory}/KEPT`, 'utf8');
  expect(note).toContain(address.password);
  expect(statSync(`${directory}/KEPT`).mode & 0o077).toBe(0);
  const command = /Start it with: (.*)/.exec(note)![1]!;
  const again = spawn('/bin/sh', ['-c', command], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(again, 'exit');
  for await (const line of createInterface(again.stderr)) if (line.includes('ready to accept')) break;
  expect(await ask(address, 'SELECT count(*)::int FROM kept')).toBe(0);
  process.kill(Number(readFileSync(`${directory}/data/postmaster.pid`, 'utf8').split('\n')[0]), 'SIGQUIT');
  await gone;
  rmSync(directory, { recursive: true });
});

it('a port that somebody has taken meanwhile is given up for another', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const ports = vi.fn<() => Promise<number>>(freePort).mockResolvedValueOnce(port);
  const server = await PrivateServer.start(
    'embedded',
    (directory, account) => programsIn(packageRoot(), directory, account),
    ports,
  );
  started.push(server);
  expect(ports).toHaveBeenCalledTimes(2);
  expect(server.address.port).not.toBe(port);
  other.close();
});

it('programs that cannot be run are told, and leave nothing behind', async () => {
  let directory = '';
  const found = (at: string) => {
    directory = at;
    return { initdb: '/nowhere/initdb', postgres: '/nowhere/postgres' };
  };
  await expect(PrivateServer.start('local', found)).rejects.toMatchObject({
    name: 'EngineUnavailable',
    message: expect.stringContaining('/nowhere/initdb cannot be run'),
  });
  expect(existsSync(directory)).toBe(false);
  await expect(PrivateServer.start('local', () => ({ initdb: '/bin/false', postgres: '/bin/false' }))).rejects.toThrow(
    'initdb failed',
  );
});

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'a judge that ends by %s takes its server with it',
  async (signal) => {
    const { child, directory } = await judge();
    child.kill(signal);
    await once(child, 'exit');
    await vi.waitUntil(() => !existsSync(directory) && processesOf(directory).length === 0, { timeout: 30_000 });
  },
);

it('what a judge leaves whose watchdog was killed, too, is swept by the next start', async () => {
  const { child, address, directory } = await judge();
  const watchdog = processesOf(directory).find((pid) => commandOf(pid).includes('watchdog'))!;
  process.kill(watchdog, 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await ask(address, 'SELECT 1')).toBe(1);
  await start();
  expect(existsSync(directory)).toBe(false);
  expect(processesOf(directory)).toEqual([]);
  const socket = createConnection(address.port, '127.0.0.1');
  expect(await once(socket, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }]);
});

function commandOf(pid: number): string {
  return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
}
