import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

const bin = join(import.meta.dirname, 'contract-test.js');
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);

function start(argv: string[], cwd = import.meta.dirname): ChildProcess {
  const child = spawn(process.execPath, argv, { cwd, env: { ...process.env, FORCE_COLOR: '0' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** How a child ended, and what it printed. */
async function ending(child: ChildProcess) {
  const [stdout, stderr, [exitCode, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close'),
  ]);
  return { stdout, stderr, exitCode, signal };
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-bin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the command can be executed', () => {
  expect(statSync(bin).mode & 0o111).toBe(0o111);
});

test('the real command lists what there is', async () => {
  const { exitCode, stdout, stderr } = await ending(start([bin, 'list', '--json']));
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { providers, paths } = JSON.parse(stdout);
  expect(providers.map((p: { name: string }) => p.name)).toEqual(expect.arrayContaining(['memory', 'sqlite']));
  expect(paths.map((p: { path: string }) => p.path)).toContain('memory/plain');
});

test.each([
  [['--provider', 'sqltie'], 'no provider is called "sqltie"; did you mean sqlite?'],
  [['--provider', 'sqlite/flie'], /^no path matches sqlite\/flie; the paths are: .*sqlite\/file/],
  [['--guard', 'send-batch/ids-in-caller-odrer'], /; did you mean send-batch\/ids-in-caller-order\?$/],
  [['--contract', 'send'], /^no contract is called "send"; /],
  [['--sed', '1'], "unknown option '--sed'; did you mean --seed?"],
  [['list', '--contract', 'x'], "unknown option '--contract' of this command; it is one of a run"],
  [['--timeout', '-1'], /^--timeout "-1" is no span of time; /],
  [['--backend', './nowhere.ts'], /^--backend "\.\/nowhere\.ts": there is no file /],
  [['--backend', './fixtures/run-cli.ts'], /run-cli\.ts has no export 'default'; it exports runCli$/],
])('the real command refuses %j on one line, without a stack', async (argv, message) => {
  const { exitCode, stdout, stderr } = await ending(start([bin, ...argv]));
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^contract-test: .*\n$/);
  expect(stderr.slice('contract-test: '.length, -1)).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
});

test('with --debug the stack is shown', async () => {
  const { exitCode, stderr } = await ending(start([bin, '--provider', 'sqltie', '--debug']));
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/\n {4}at /);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s lets the run clean up, and ends with 130', async (signal) => {
  const child = start([fixture('waiting-run.ts')]);
  const ended = ending(child);
  await once(child.stdout!, 'data');
  child.kill(signal);
  expect(await ended).toEqual({
    exitCode: 130,
    signal: null,
    stdout: 'running\ncleaned up\n',
    stderr: `\n${signal}: cleaning up (once more to leave at once)\n`,
  });
});

test('when nobody reads the output any more, the run is ended quietly', async () => {
  const child = start([fixture('talking-run.ts')]);
  const stderr = text(child.stderr!);
  await once(child.stdout!, 'data');
  child.stdout!.destroy();
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(await stderr).toBe('cleaned up\n');
});

/** A package with the launcher and a command of its own, started with an old Node: its version is lied about. */
function oldNode() {
  const folder = scratch();
  mkdirSync(join(folder, 'cli'));
  mkdirSync(join(folder, 'dist/cli'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  copyFileSync(bin, join(folder, 'cli/contract-test.js'));
  const lie = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } });\n";
  writeFileSync(join(folder, 'old.cjs'), `if (!process.env.NEWER) {\n${lie}}\n`);
  return { folder, argv: ['--require', join(folder, 'old.cjs'), join(folder, 'cli/contract-test.js')] };
}

/** Puts a Node into the place where npm would. */
function installNode(folder: string, version: string) {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo ${version}; else NEWER=1 exec "${process.execPath}" "$@"; fi
`;
  writeFileSync(join(folder, 'node_modules/.bin/node'), script);
  chmodSync(join(folder, 'node_modules/.bin/node'), 0o755);
}

test('on an old Node, one line says what is needed', async () => {
  const { folder, argv } = oldNode();
  expect(await ending(start(argv, folder))).toEqual({
    exitCode: 2,
    signal: null,
    stdout: '',
    stderr:
      'contract-test needs Node.js 22.16 or newer, and this is 18.0.0; install a newer one, or add it to the project: npm install --save-dev node@24\n',
  });
});

test('a Node beside the package that is old as well is no help', async () => {
  const { folder, argv } = oldNode();
  installNode(folder, 'v22.15.0');
  expect((await ending(start(argv, folder))).exitCode).toBe(2);
});

test('a newer Node beside the package takes over, with arguments and exit code', async () => {
  const { folder, argv } = oldNode();
  installNode(folder, 'v24.1.0');
  writeFileSync(
    join(folder, 'dist/cli/main.js'),
    'export function main() { console.log(process.argv.slice(2).join()); process.exitCode = 3; }\n',
  );
  expect(await ending(start([...argv, 'a', 'b']))).toEqual({ exitCode: 3, signal: null, stdout: 'a,b\n', stderr: '' });
});

test('a newer Node in the project that is worked in takes over', async () => {
  const { folder, argv } = oldNode();
  const project = scratch();
  installNode(project, 'v22.16.0');
  mkdirSync(join(project, 'src'));
  writeFileSync(join(folder, 'dist/cli/main.js'), 'export function main() { console.log(process.cwd()); }\n');
  const { exitCode, stdout } = await ending(start(argv, join(project, 'src')));
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${join(project, 'src')}\n` });
});

test('a newer Node that took over gets the signals, and its end by a signal is the command’s', async () => {
  const { folder, argv } = oldNode();
  installNode(folder, 'v24.1.0');
  writeFileSync(
    join(folder, 'dist/cli/main.js'),
    `export function main() {
      setInterval(() => {}, 60_000);
      process.once('SIGTERM', () => { console.log('told'); process.kill(process.pid, 'SIGTERM'); });
      console.log('running');
    }\n`,
  );
  const child = start(argv, folder);
  const ended = ending(child);
  await once(child.stdout!, 'data');
  child.kill('SIGTERM');
  expect(await ended).toEqual({ exitCode: null, signal: 'SIGTERM', stdout: 'running\ntold\n', stderr: '' });
});

test('a configuration that awaits what never comes is refused', async () => {
  const folder = scratch();
  writeFileSync(join(folder, 'contract-test.config.mjs'), 'await new Promise(() => {});\nexport default {};\n');
  const { exitCode, stderr } = await ending(start([bin], folder));
  expect(stderr).toMatch(/^contract-test: configuration \S+contract-test\.config\.mjs awaits what never comes; .*\n$/);
  expect(exitCode).toBe(2);
});

test('a backend that takes its time to load does not keep an interrupted run', async () => {
  const folder = scratch();
  const loading = join(folder, 'loading');
  const body = "import { writeFileSync } from 'node:fs';\nwriteFileSync(process.env.LOADING, '');\n";
  writeFileSync(join(folder, 'slow.mjs'), `${body}await new Promise(() => setInterval(() => {}, 1000));\n`);
  const begun = new Promise((resolve) => {
    const watcher = watch(folder, (_event, name) => name === 'loading' && resolve(watcher.close()));
  });
  process.env.LOADING = loading;
  onTestFinished(() => void delete process.env.LOADING);
  const child = start([bin, '--backend', 'slow.mjs'], folder);
  const ended = ending(child);
  await begun;
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ exitCode: 130, stdout: '', signal: null });
}, 20_000);

test.runIf(process.platform === 'linux')('a folder that is not there any more is named as the reason', async () => {
  const folder = scratch();
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const line = `rmdir '${gone}' && exec '${process.execPath}' '${bin}' list`;
  const child = spawn('sh', ['-c', line], { cwd: gone });
  expect(await ending(child)).toMatchObject({
    exitCode: 2,
    stderr: 'contract-test: the folder that it was started in is not there any more\n',
  });
});

test('FORCE_COLOR outweighs NO_COLOR without a word from Node', async () => {
  const env = { ...process.env, FORCE_COLOR: '1', NO_COLOR: '1' };
  const child = spawn(process.execPath, [bin, '-p', 'memory', '-g', 'setup/namespace-exists'], { env });
  const { exitCode, stdout, stderr } = await ending(child);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('\x1b[32m');
});
