import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { HostKind } from '../host/host.ts';
import type { Provider } from '../providers/provider.ts';
import { renderFinding } from '../reporters/finding.ts';
import { startEngine } from '../runner/engines.ts';
import { judge, type PathContext } from '../runner/judge.ts';
import { pathContext } from '../runner/path-context.ts';
import { newSeed } from '../runner/random.ts';
import type { Verdict } from '../runner/report.ts';
import { defaultRuns, defaultTimeout, type RunOptions } from '../runner/run-options.ts';
import { select } from '../runner/select.ts';

export interface DescribeOptions {
  /** Paths, contracts and guards to judge, as on the command line; all when absent. */
  paths?: string[];
  contracts?: string[];
  guards?: string[];
  /** Where the subject lives: a worker thread unless said otherwise. */
  host?: HostKind;
  seed?: number;
  /** Generated inputs of each property. */
  runs?: number;
  /** Milliseconds that each guard has. */
  timeout?: number;
}

/**
 * Registers one test for each guard on each engine path of a backend, named by the guard's id.
 *
 * `backend` is the file that exports it by default: a URL (`new URL('./backend.ts', import.meta.url)`) or a path from
 * the working directory. To be awaited at the top of a test file. A guard that does not apply is skipped with its
 * reason; a violated should clause is skipped with its message, as on the command line.
 */
export async function describeBackend(backend: URL | string, options: DescribeOptions = {}): Promise<void> {
  const url = backend instanceof URL ? backend : pathToFileURL(resolve(backend));
  const run: RunOptions = {
    backends: [{ url: url.href, export: 'default' }],
    backendFiles: [fileURLToPath(url)],
    paths: options.paths ?? [],
    provision: null,
    url: null,
    required: [],
    contracts: options.contracts ?? [],
    guards: options.guards ?? [],
    seed: options.seed ?? newSeed(),
    runs: options.runs ?? defaultRuns,
    replay: null,
    timeout: options.timeout ?? defaultTimeout,
    keep: false,
    strict: false,
    trace: false,
    host: options.host ?? 'worker',
    mutants: [],
    concurrency: 1,
    signal: new AbortController().signal,
  };
  const { paths, pools } = await select(run);
  const engines = new Map<Provider, ReturnType<typeof startEngine>>();
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    for (const started of engines.values()) await (await started).engine.stop();
  });
  for (const selected of paths) {
    const { path, guards } = selected;
    describe(path.name, () => {
      let context: PathContext;
      /** The setup guard that broke: nothing after it can be believed. */
      let broken: string | undefined;
      beforeAll(async () => {
        const started = engines.get(path.provider) ?? startEngine(path.provider, [path.mode], { keep: false });
        engines.set(path.provider, started);
        context = await pathContext(selected, (await started).engine, run);
      });
      for (const guard of guards) {
        // The guard has a deadline of its own; the test's is only there in case that one fails.
        it(guard.id, { timeout: run.timeout + 10_000 }, async (test) => {
          if (broken) throw new Error(`not judged: ${broken} did not hold`);
          const verdict = await judge(guard, context);
          if (guard.foundation && verdict.verdict !== 'upheld') broken = guard.id;
          if (verdict.verdict === 'upheld') return;
          if (verdict.verdict === 'not-applicable') test.skip(verdict.reason ?? undefined);
          if (verdict.verdict === 'violated' && guard.level === 'should') test.skip(plainFailure(verdict));
          throw new Error(plainFailure(verdict));
        });
      }
    });
  }
}

/** The verdict as a test runner shows it under the test's name. */
function plainFailure(verdict: Verdict): string {
  const page = { width: 110, colour: false, unicode: true, live: false };
  return renderFinding(verdict, [], page, { strict: false, debug: false }).join('\n');
}
