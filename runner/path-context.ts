import type { EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Engine } from '../providers/provider.ts';
import type { PathContext } from './judge.ts';
import type { RunOptions } from './run-options.ts';
import type { SelectedPath } from './select.ts';
import { UsageError } from './usage-error.ts';

/** Asks the backend what it declares for this engine, and gathers what the guards of the path share. */
export async function pathContext(
  { path, pool }: SelectedPath,
  engine: Engine,
  options: RunOptions,
): Promise<PathContext> {
  const facts = factsOf(path, engine);
  const host = await pool.take();
  if (!(await host.answers(5000))) {
    await pool.giveBack(host, false);
    throw new UsageError(`backend ${path.backend} began to loop after it was loaded: its thread answers no more`);
  }
  const declaration = await host.declare(path.variant, path.contract, facts);
  await pool.giveBack(host, true);
  return {
    path,
    engine,
    facts,
    declaration,
    pool,
    options,
    hung: false,
    counts: { guards: 0, cases: 0, generated: 0, items: 0 },
    console: { bytes: 0, text: '' },
  };
}

/** What the engine says of the mode, with what the provider says of its modes. */
function factsOf({ provider, mode }: SelectedPath['path'], engine: Engine): EngineFacts {
  const facts = engine.facts(mode);
  if (!provider.oneProcessModes?.includes(mode)) return facts;
  const ownProcess = "what is in shared memory can be opened inside the judge's process only";
  return { ...facts, lacks: { ...facts.lacks, ownProcess } };
}
