#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: Node 12 before 12.20 does not know it.
// Plain JavaScript that any Node since 12 can parse: it finds a Node that is new enough for the toolkit, and starts it.
import { execFileSync, spawn } from 'child_process';
import { existsSync } from 'fs';
import module from 'module';
import { dirname, join } from 'path';
import { fileURLToPath } from 'url';

const here = dirname(fileURLToPath(import.meta.url));
const inCheckout = existsSync(join(here, 'main.ts'));
// The checkout is TypeScript, whose types Node strips by itself since 22.18; the package holds JavaScript.
const needed = inCheckout ? [22, 18] : [22, 16];

// Node itself would say, before the report, that the one outweighs the other.
if (process.env.FORCE_COLOR !== undefined) delete process.env.NO_COLOR;

if (isEnough(process.versions.node)) {
  if (inCheckout) keepCompiled();
  import(inCheckout ? './main.ts' : '../dist/cli/main.js')
    .then((toolkit) => toolkit.main())
    .catch((error) => {
      console.error(error);
      process.exitCode = 5;
    });
} else {
  const newer = findNewerNode();
  if (newer) handOver(newer);
  else {
    console.error(
      `contract-test needs Node.js ${needed.join('.')} or newer, and this is ${process.versions.node}; ` +
        'install a newer one, or add it to the project: npm install --save-dev node@24',
    );
    process.exitCode = 2;
  }
}

/** Compiles every module once, and not once for every thread and process that a subject lives in. */
function keepCompiled() {
  // What comes out of the cache is covered less exactly.
  if (process.env.NODE_V8_COVERAGE || process.env.NODE_COMPILE_CACHE) return;
  const cache = join(dirname(here), 'node_modules', '.cache', 'contract-test');
  module.enableCompileCache(cache);
  process.env.NODE_COMPILE_CACHE = cache;
}

function isEnough(version) {
  const parts = version.replace(/^v/, '').split('.').map(Number);
  return parts[0] > needed[0] || (parts[0] === needed[0] && parts[1] >= needed[1]);
}

/** A newer Node that npm installed for this package or for the project that is worked in. */
function findNewerNode() {
  const folders = upwards(dirname(here)).concat(upwards(process.cwd()));
  for (const folder of folders) {
    const candidate = join(folder, 'node_modules', '.bin', 'node');
    if (existsSync(candidate) && isEnough(versionOf(candidate))) return candidate;
  }
  return undefined;
}

function upwards(folder) {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder].concat(upwards(parent));
}

function versionOf(node) {
  try {
    return String(execFileSync(node, ['--version'])).trim();
  } catch {
    return 'v0.0.0';
  }
}

/** Runs the same command with another Node, as if it had been started with it. */
function handOver(node) {
  const child = spawn(node, process.execArgv.concat(process.argv.slice(1)), { stdio: 'inherit' });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  child.on('error', (error) => {
    console.error(`contract-test could not start ${node}: ${error.message}`);
    process.exitCode = 2;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
      return;
    }
    // Ends as the child ended; a handler of our own would keep this process alive.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
