import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(import.meta.url));
const run = promisify(execFile);
// Children run on the Node that runs this test, not on whatever else is on the PATH.
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const npm = (args: string[], cwd: string) =>
  run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], { cwd, env, maxBuffer: 2 ** 26 });

let work: string;
/** A folder that has nothing but the packed toolkit, and a test configuration that must never be loaded. */
let project: string;

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'contract-test-package-'));
  project = join(work, 'project');
  await mkdir(project);
  const { stdout } = await npm(['pack', '--json', '--pack-destination', work], root);
  const tarball = JSON.parse(stdout.slice(stdout.indexOf('[')))[0].filename as string;
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'project', private: true }));
  await writeFile(join(project, 'vitest.config.ts'), "throw new Error('this configuration belongs to the project');\n");
  await cp(join(root, 'examples/sqlite-queue.ts'), join(project, 'my-queue.ts'));
  await npm(['install', '--prefer-offline', join(work, tarball)], project);
}, 300_000);
afterAll(() => rm(work, { recursive: true, force: true }));

const node = (args: string[]) => run(process.execPath, args, { cwd: project, env });
const contractTest = (args: string[]) => node(['node_modules/contract-test/cli/contract-test.js', ...args]);

describe('the packed package, installed alone', () => {
  it('holds compiled code and types, and neither sources nor tests', async () => {
    const files = await readdir(join(project, 'node_modules/contract-test'), { recursive: true });
    expect(files).toContain('dist/index.js');
    expect(files).toContain('dist/index.d.ts');
    expect(files.filter((f) => /\.test\.|fixtures|(?<!\.d)\.ts$/.test(f))).toEqual([]);
  });

  it('brings no install script', async () => {
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
    const scripted = Object.entries<{ hasInstallScript?: boolean }>(lock.packages).filter(
      ([, p]) => p.hasInstallScript,
    );
    expect(scripted.map(([name]) => name)).toEqual([]);
  });

  it('judges a backend in TypeScript that imports it by name', async () => {
    const { stdout } = await contractTest([
      '--backend',
      'my-queue.ts',
      '--provider',
      'sqlite/shared',
      '--guard',
      'send-batch/*',
    ]);
    expect(stdout).toContain('exit code 0');
    expect(stdout).toContain('backend my-queue');
  });

  it('judges its own references', async () => {
    const { stdout } = await contractTest(['--provider', 'memory/plain', '--guard', 'send-batch/ids-in-*']);
    expect(stdout).toContain('1 of 1 guard upheld on 1 path');
  });

  it('says which package is missing where a driver is, and lists all the same', async () => {
    await expect(contractTest(['--provider', 'postgres'])).rejects.toMatchObject({
      code: 4,
      stdout: '',
      stderr:
        'contract-test: the npm package pg is not installed, by which postgres is reached; npm install --save-dev pg\n',
    });
    const { stdout } = await contractTest(['list']);
    expect(stdout).toMatch(/\n {2}postgres +cannot be judged here: the npm package pg is not installed/);
  });

  it('is imported from ES modules and required from CommonJS', async () => {
    const esm = await node([
      '--input-type=module',
      '-e',
      "import { defineBackend } from 'contract-test'; import { openStore } from 'contract-test/memory'; console.log(typeof defineBackend, typeof openStore)",
    ]);
    const cjs = await node([
      '--input-type=commonjs',
      '-e',
      "console.log(typeof require('contract-test').defineBackend, typeof require('contract-test/memory').openStore)",
    ]);
    expect([esm.stdout.trim(), cjs.stdout.trim()]).toEqual(['function function', 'function function']);
  });

  it.each(['nodenext', 'bundler'])('has types for module resolution %s', async (resolution) => {
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--types',
      'node',
      '--typeRoots',
      join(root, 'node_modules/@types'),
    ];
    await node([join(root, 'node_modules/typescript/bin/tsc'), ...options, 'my-queue.ts']);
  });
});

it('the README shows the example that is tested', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  expect(readme).toContain(await readFile(join(root, 'examples/sqlite-queue.ts'), 'utf8'));
});
