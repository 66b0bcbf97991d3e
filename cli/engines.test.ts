import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded } from '../providers/provision/embedded.ts';
import type { Server } from '../providers/provision/server.ts';

/* Engines that cannot be had, or that end, by the real command: one clear line, the right exit code, nothing left. */

const bin = join(import.meta.dirname, 'contract-test.js');

function start(argv: string[], env: Record<string, string> = {}): ChildProcess {
  const { CONTRACT_TEST_POSTGRES_URL: _, ...rest } = process.env;
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd: import.meta.dirname,
    env: { ...rest, FORCE_COLOR: '0', COLUMNS: '200', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function ending(child: ChildProcess) {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { exitCode, stdout, stderr };
}

const run = (argv: string[], env?: Record<string, string>) => ending(start(argv, env));

/** Starts a run, and disturbs it as soon as the judging has begun. */
async function disturbed(disturb: (child: ChildProcess) => unknown, env?: Record<string, string>) {
  const child = start(['--provider', 'postgres/unnest'], env);
  const ended = ending(child);
  await new Promise<void>((resolve) => {
    let printed = '';
    child.stdout!.on('data', (data) => {
      printed += data;
      if (/^postgres\/unnest: /m.test(printed)) resolve();
    });
    child.once('close', resolve);
  });
  await disturb(child);
  return ended;
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-engines-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const quick = ['--guard', 'setup/namespace-exists'];

describe('a server by its address', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startEmbedded();
  });
  afterAll(() => server.stop());

  function urlOf({ user, password, host, port, database } = server.address): string {
    return `postgres://${user}:${password}@${host}:${port}/${database}`;
  }

  test('in the environment is used, and its password is printed nowhere', async () => {
    const report = join(scratch(), 'report.json');
    const argv = ['--backend', 'fixtures/no-rows.ts#onPostgres', ...quick, '--trace', '--debug'];
    const env = { CONTRACT_TEST_POSTGRES_URL: urlOf() };
    const { exitCode, stdout, stderr } = await run([...argv, '-r', 'console', '-r', `json=${report}`], env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
    expect(stdout).toMatch(/^engine {2}postgres \d+/m);
    expect(stdout).toContain('VIOLATED  setup/namespace-exists');
    expect(stdout + readFileSync(report, 'utf8')).not.toContain(server.address.password);
  });

  test('in a file is used; the command that replays a finding names the file', async () => {
    const file = join(scratch(), 'url');
    writeFileSync(file, `${urlOf()}\n`);
    const argv = ['--backend', 'fixtures/no-rows.ts#onPostgres', ...quick, '--url', `@${file}`];
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(3);
    // In the words of a shell.
    const replay = /^ {2}replay npx contract-test (.*)$/m.exec(stdout)![1]!;
    expect(replay).toMatch(/ --url @\S+url /);
    expect(stdout).not.toContain(server.address.password);
    const again = await run(replay.replaceAll("'", '').split(' '));
    expect(again.stdout).toContain('VIOLATED  setup/namespace-exists');
  });

  test('with a wrong password is refused, and the password is printed nowhere', async () => {
    const wrong = urlOf({ ...server.address, password: 'wr0ng-s3cret' });
    const { exitCode, stdout, stderr } = await run(['--provider', 'postgres', '--debug'], {
      CONTRACT_TEST_POSTGRES_URL: wrong,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toMatch(/^contract-test: postgres:.*: the server refuses the password of postgres\n/);
    expect(stderr).not.toContain('wr0ng-s3cret');
  });

  test('that ends during the run ends the run', async () => {
    const env = { CONTRACT_TEST_POSTGRES_URL: urlOf() };
    const { exitCode, stdout, stderr } = await disturbed(() => server.own!.kill(), env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
    expect(stdout).toMatch(/\nexit code 4: postgres ended during the run: .+\n$/);
  });
});

test('an address where nothing answers', async () => {
  const nobody = createServer();
  nobody.listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  expect(await run(['--provider', 'postgres', '--url', `postgres://me@127.0.0.1:${port}/db`])).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: `contract-test: postgres://me@127.0.0.1:${port}/db: nothing answers on port ${port} of 127.0.0.1\n`,
  });
});

test('a port that somebody else uses', async () => {
  const other = createServer((client) => client.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  other.listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { exitCode, stdout, stderr } = await run(['-p', 'postgres', '--url', `postgres://me@127.0.0.1:${port}/db`]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
  expect(stderr).toMatch(/^contract-test: postgres:\/\/me@127\.0\.0\.1:\d+\/db: .+\n$/);
});

describe('an engine that is there by default and cannot be had', () => {
  const backends = ['onPostgres', 'onSqlite'].flatMap((name) => ['--backend', `fixtures/no-rows.ts#${name}`]);
  const reason = 'postgres://me@127.0.0.1:1/db: nothing answers on port 1 of 127.0.0.1';
  const env = { CONTRACT_TEST_POSTGRES_URL: 'postgres://me:s3cret@127.0.0.1:1/db' };

  test('is reported as absent, and the run goes on with the others', async () => {
    const report = join(scratch(), 'report.json');
    const { exitCode, stdout, stderr } = await run(
      [...backends, ...quick, '-r', 'console', '-r', `json=${report}`],
      env,
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
    expect(stdout.split(`absent  postgres: ${reason}\n`)).toHaveLength(3);
    expect(stdout).toContain('VIOLATED  setup/namespace-exists');
    const { absent, engines } = JSON.parse(readFileSync(report, 'utf8'));
    expect(absent).toEqual([{ provider: 'postgres', reason }]);
    expect(engines.map((engine: { provider: string }) => engine.provider)).toEqual(['sqlite']);
  });

  test('ends the run with --require', async () => {
    expect(await run([...backends, ...quick, '--require', 'postgres'], env)).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: `contract-test: ${reason}\n`,
    });
  });

  test('leaves nothing to be judged where it is the only one', async () => {
    const { exitCode, stdout } = await run([...backends.slice(0, 2), ...quick], env);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/\nexit code 4: no engine could be had, so nothing was judged\n$/);
  });
});

/** The directory and the process of the private server that a command has started. */
function serverOf(child: ChildProcess): { directory: string; pid: number } {
  const table = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  for (const line of table.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+\S*postgres -D (\S+)\/data /.exec(line);
    if (match && Number(match[2]) === child.pid) return { directory: match[3]!, pid: Number(match[1]) };
  }
  throw new Error(`there is no server of process ${child.pid}`);
}

test('a private server that is killed from outside ends the run, and leaves nothing', async () => {
  let directory = '';
  const { exitCode, stdout, stderr } = await disturbed((child) => {
    const server = serverOf(child);
    directory = server.directory;
    expect(existsSync(directory)).toBe(true);
    process.kill(server.pid, 'SIGKILL');
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
  expect(stdout).toMatch(/\nexit code 4: postgres ended during the run: .+\n$/);
  expect(stdout).not.toContain('VIOLATED');
  expect(existsSync(directory)).toBe(false);
  expect(execFileSync('ps', ['-axww', '-o', 'args='], { encoding: 'utf8' })).not.toContain(directory);
});
