import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EngineUnavailable } from '../providers/provider.ts';
import { sampleEngines } from '../reporters/fixtures/sample-report.ts';
import type { Toolkit } from './context.ts';
import { runCli } from './fixtures/run-cli.ts';
import { fakeToolkit } from './fixtures/toolkit.ts';

test('help without a command tells of run’s options, of commands, examples, exit codes and the environment', async () => {
  const { exitCode, stdout, stderr } = await runCli(['--help']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const part of ['--provider <path>', '--replay <case>', 'explain [options] <guard>', 'Examples:', 'NO_COLOR']) {
    expect(stdout).toContain(part);
  }
  expect(stdout).toContain('  130  interrupted\n    2  wrong usage');
});

test.each([
  ['--help'],
  ['run', '--help'],
  ['prove', '--help'],
  ['list', '--help'],
  ['explain', '--help'],
  ['doctor', '--help'],
])('the help of %s %s fits a narrow terminal', async (...argv) => {
  const { exitCode, stdout } = await runCli(argv, { columns: 60 });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Usage: contract-test/);
  expect(stdout.split('\n').filter((line) => line.length > 60)).toEqual([]);
});

test('help of a subcommand, word for word', async () => {
  expect((await runCli(['doctor', '--help'])).stdout).toBe(`Usage: contract-test doctor [options]

try the engines: start, isolation, restoring, faults, clock

Options:
  -p, --provider <name>  engine to try; repeat it or separate by commas (default: memory,sqlite)
  --url <url>            address of the engine's server, without a password, or @file
  --provision <way>      the way to the engine's server: embedded, local, url (default: the first
                         that works)
  --debug                print stack traces
  -h, --help             print this help
`);
});

test.runIf(process.platform !== 'win32').each([['run'], ['prove'], ['doctor']])(
  '%s says of a file with a password that everybody can read that they can',
  async (command) => {
    const folder = mkdtempSync(join(tmpdir(), 'contract-test-url-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'url');
    writeFileSync(file, 'postgres://me:s3cret@host/db\n');
    const argv = [command, '--url', `@${file}`];
    chmodSync(file, 0o644);
    expect((await runCli(argv, { toolkit: fakeToolkit() })).stderr).toMatch(
      /^contract-test: warning: everybody can read the password in \S+url; take that from them \(chmod 600\)\n$/,
    );
    chmodSync(file, 0o640);
    expect((await runCli(argv, { toolkit: fakeToolkit() })).stderr).toBe('');
    writeFileSync(file, 'postgres://me@host/db\n');
    chmodSync(file, 0o644);
    expect((await runCli(argv, { toolkit: fakeToolkit() })).stderr).toBe('');
  },
);

test('the version', async () => {
  expect(await runCli(['--version'])).toEqual({ exitCode: 0, stdout: '1.2.3\n', stderr: '' });
});

test('run is the default command, and its options reach the runner', async () => {
  const toolkit = fakeToolkit();
  const argv = ['-p', 'sqlite/file', '-g', 'send-batch/*', '-c', 'send-batch', '--seed', '-7', '--keep', '--strict'];
  const { exitCode, stdout } = await runCli(argv, { toolkit });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('exit code 0: every guard that applies is upheld');
  expect(toolkit.asked).toHaveLength(1);
  expect(toolkit.asked[0]).toMatchObject({
    paths: ['sqlite/file'],
    guards: ['send-batch/*'],
    contracts: ['send-batch'],
    seed: -7,
    keep: true,
    strict: true,
    required: ['sqlite'],
  });
});

test('doctor is told how to get the server', async () => {
  const asked: unknown[] = [];
  const doctor: Toolkit['doctor'] = async (options) => {
    asked.push(options);
    return [];
  };
  const argv = ['doctor', '-p', 'sqlite', '--url', 'postgres://me@host/db', '--provision', 'url'];
  expect((await runCli(argv, { toolkit: fakeToolkit({ doctor }) })).exitCode).toBe(0);
  const url = { address: 'postgres://me@host/db', named: 'postgres://me@host/db' };
  expect(asked).toMatchObject([{ providers: ['sqlite'], url, provision: 'url' }]);
});

test('the exit code is the report’s', async () => {
  const { run } = fakeToolkit();
  const toolkit = fakeToolkit({ run: async (...args) => ({ ...(await run(...args)), exitCode: 3 }) });
  expect((await runCli(['run'], { toolkit })).exitCode).toBe(3);
});

test('a configuration in the folder is used', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'contract-test-cli-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  writeFileSync(join(cwd, 'contract-test.config.mjs'), "export default { provider: 'sqlite', reporter: 'json' };\n");
  const toolkit = fakeToolkit();
  const { stdout } = await runCli([], { toolkit, cwd });
  expect(toolkit.asked[0]!.paths).toEqual(['sqlite']);
  expect(JSON.parse(stdout)).toMatchObject({ seed: 42 });
});

test.each([
  [['--gaurd', 'x'], "unknown option '--gaurd'; did you mean --guard?"],
  [['lst'], 'there is no command "lst"; did you mean list?'],
  [['./my-queue.ts'], 'unexpected argument "./my-queue.ts"; a backend is named with --backend <file>'],
  [['--seed'], "option '--seed <int>' argument missing"],
  [['--seed', 'x'], '--seed "x" is no whole number from -2147483648 to 2147483647'],
  [['--runs', '0'], '--runs "0" is no whole number from 1 to 1000000'],
  [['--timeout', 'soon'], '--timeout "soon" is no span of time; write milliseconds, or a unit: 500ms, 10s, 2m'],
  [['--host', 'procces'], '--host "procces" is not known; did you mean process?'],
  [['--reporter', 'xml'], '--reporter "xml" is not known; known: console, json'],
  [['-p', 'sqltie'], 'no provider is called "sqltie"; did you mean sqlite?'],
  [['-p', 'sqlite//x'], '--provider "sqlite//x" is no engine path; write name, name/mode or name/mode/variant'],
  [['-c', 'send-bacth'], 'no contract is called "send-bacth"; did you mean send-batch?'],
  [['-g', 'ids-*'], 'no guard matches "ids-*"; did you mean */ids-*?'],
  [['-g', 'send-batch/empty-bacth'], 'no guard matches "send-batch/empty-bacth"; did you mean send-batch/empty-batch?'],
  [['-g', 'x'], 'no guard matches "x"; contract-test list shows all guards'],
  [['--replay', 'x'], '--replay needs --guard, since a case belongs to one guard; copy the whole replay line'],
  [['--provision', 'locl'], '--provision "locl" is not known; did you mean local?'],
  [['--require', 'sqltie'], 'no provider is called "sqltie"; did you mean sqlite?'],
  [
    ['--url', 'postgres://me:s3cret@host/db'],
    '--url holds a password, which others could read; give it in the environment (CONTRACT_TEST_POSTGRES_URL) or in a file (--url @file)',
  ],
  [['--url', 'password=s3cret host=db'], '--url is no URL; write postgres://user@host:port/database'],
  [['explain'], "missing required argument 'guard'"],
  [
    ['explain', 'idz-in-caller-order'],
    'there is no guard "idz-in-caller-order"; did you mean send-batch/ids-in-caller-order?',
  ],
  [['explain', 'nothing-like-it-at-all'], 'there is no guard "nothing-like-it-at-all"; contract-test list shows all'],
  [
    ['explain', 'empty-batch'],
    'several guards end in empty-batch; name one: send-batch/empty-batch, update-batch/empty-batch',
  ],
  [['doctor', '-p', 'memry'], 'no provider is called "memry"; did you mean memory?'],
])('%j is refused on one line', async (argv, message) => {
  expect(await runCli(argv)).toEqual({ exitCode: 2, stdout: '', stderr: `contract-test: ${message}\n` });
});

test('an engine that cannot be had', async () => {
  const run = async () => {
    throw new EngineUnavailable('PostgreSQL was not found; install it with: apt-get install postgresql');
  };
  expect(await runCli([], { toolkit: fakeToolkit({ run }) })).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: 'contract-test: PostgreSQL was not found; install it with: apt-get install postgresql\n',
  });
});

test('an error of our own asks for a report, and shows its stacks with --debug only', async () => {
  const run = async () => {
    throw new Error('the \x1b[31mwire\nbroke', { cause: new TypeError('no socket') });
  };
  const plain = await runCli([], { toolkit: fakeToolkit({ run }) });
  expect(plain.exitCode).toBe(5);
  expect(plain.stderr).toBe(
    'contract-test: unexpected error: the wire broke. This is a fault of contract-test: please report it, with what the same command prints with --debug\n',
  );
  const debug = await runCli(['--debug'], { toolkit: fakeToolkit({ run }) });
  expect(debug.exitCode).toBe(5);
  expect(debug.stderr).toMatch(/Error: the wire\nbroke\n {4}at .*caused by TypeError: no socket\n {4}at /s);
});

test('what fails after Ctrl-C is an interruption', async () => {
  const run = async () => {
    throw new Error('stopped in the middle');
  };
  const { exitCode, stderr } = await runCli([], { toolkit: fakeToolkit({ run }), signal: AbortSignal.abort() });
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
});

test('explain tells all about a guard', async () => {
  expect((await runCli(['explain', 'ids-in-caller-order'], { columns: 60 })).stdout).toBe(`\
send-batch/ids-in-caller-order  (must, since clause set 1)
  The row behind the id in outcome i holds message i, for
  every size of a batch.

  needs     the backend promises ids
            the engine has observer: a second reader that
            can look while a write is in flight
            the backend gives up atomic
  evidence  items sent
            chunks crossed
            without it the verdict is vacuous and proves
            nothing
  mutants   send-batch/reversed-ids: returns the ids in
            reverse

  run it    npx contract-test --guard send-batch/ids-in-caller-order
  prove it  npx contract-test prove --guard send-batch/ids-in-caller-order
`);
});

test('list shows engines, paths, contracts and guards', async () => {
  expect((await runCli(['list'])).stdout).toBe(`\
Engines
  memory  a store in the process (modes: memory)
  sqlite  SQLite (modes: file, shared)

Built-in engine paths
  sqlite/file/prepared    send-batch by my-queue
  sqlite/file/values      send-batch by my-queue
  sqlite/shared/prepared  send-batch by my-queue
  sqlite/shared/values    send-batch by my-queue

Contract send-batch, 3 guards
  a whole batch of messages
  setup/namespace-exists
    Opening creates the namespace.
  send-batch/ids-in-caller-order
    The row behind the id in outcome i holds message i, for every size of a batch.
  send-batch/empty-batch  (should)
    An empty batch writes nothing.

Contract update-batch, 1 guard
  a whole batch of updates
  update-batch/empty-batch
    An empty batch changes nothing.

More about one guard: contract-test explain <guard>
`);
});

test('list names a built-in backend that does not load, and goes on', async () => {
  const nowhere = { url: 'file:///nowhere/index.ts', export: 'default', provider: 'sqlite' };
  const { exitCode, stdout } = await runCli(['list'], { toolkit: fakeToolkit({ references: [nowhere] }) });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('\n  sqlite  cannot be judged here: backend /nowhere/index.ts does not exist\n');
});

test('list --json is for programs', async () => {
  const listing = JSON.parse((await runCli(['list', '--json'])).stdout);
  expect(listing.providers[1]).toEqual({ name: 'sqlite', title: 'SQLite', modes: ['file', 'shared'] });
  expect(listing.contracts[0].guards[0]).toEqual({
    id: 'setup/namespace-exists',
    level: 'must',
    statement: 'Opening creates the namespace.',
  });
  expect(listing.paths[0]).toEqual({ path: 'sqlite/file/prepared', contracts: ['send-batch'], backend: 'my-queue' });
});

test('doctor shows every check, and ends with 0 when all passed', async () => {
  expect(await runCli(['doctor', '-p', 'sqlite'])).toEqual({
    exitCode: 0,
    stdout: `\
engine  sqlite 3.51.2 (file, memory), up in 12 ms, doctor ok (2 checks)
  ✓ file: leases are isolated: two leases saw 0 of each other’s rows
  ✓ memory: a row fault fires: fired once, at row 2
`,
    stderr: '',
  });
});

test('doctor ends with 3 when a check failed', async () => {
  const [engine] = sampleEngines;
  const ill = { ...engine!, doctor: engine!.doctor.map((check) => ({ ...check, ok: check.mode === 'file' })) };
  const { exitCode, stdout } = await runCli(['doctor'], { toolkit: fakeToolkit({ doctor: async () => [ill] }) });
  expect(exitCode).toBe(3);
  expect(stdout).toContain('doctor failed\n  ✗ memory: a row fault fires');
});
