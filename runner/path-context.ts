import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import { HostEnded, HostRefused } from '../host/host.ts';
import type { Engine } from '../providers/provider.ts';
import type { HostPool } from './host-pool.ts';
import type { PathContext } from './judge.ts';
import type { EnginePath } from './path.ts';
import type { RunOptions } from './run-options.ts';
import type { SelectedPath } from './select.ts';
import { UsageError } from './usage-error.ts';

/** Milliseconds in which the thread of a loaded backend has to answer. */
const answersWithin = 10_000;

/** Asks the backend what it declares for this engine, and gathers what the guards of the path share. */
export async function pathContext(
  { path, pool }: SelectedPath,
  engine: Engine,
  options: RunOptions,
): Promise<PathContext> {
  const facts = factsOf(path, engine);
  return {
    path,
    engine,
    facts,
    declaration: await declarationOf(path, pool, facts),
    pool,
    options,
    hung: false,
    counts: { guards: 0, cases: 0, generated: 0, items: 0 },
    console: { bytes: 0, text: '' },
  };
}

/** What the backend declares; one that does not get as far cannot be judged. */
async function declarationOf(path: EnginePath, pool: HostPool, facts: EngineFacts): Promise<Declaration> {
  const host = await pool.take();
  let sound = false;
  try {
    if (host.ended === undefined && !(await host.answers(answersWithin)) && host.ended === undefined) {
      throw new UsageError(`backend ${path.backend} began to loop after it was loaded: its thread answers no more`);
    }
    const declaration = await host.declare(path.variant, path.contract, facts);
    sound = true;
    return declaration;
  } catch (error) {
    if (error instanceof HostRefused) throw new UsageError(`backend ${path.backend}: ${error.message}`);
    if (!(error instanceof HostEnded)) throw error;
    throw new UsageError(`backend ${path.backend} ended its host before it had declared anything: ${host.ended}`);
  } finally {
    await pool.giveBack(host, sound);
  }
}

/** What the engine says of the mode, with what the provider says of its modes. */
function factsOf({ provider, mode }: SelectedPath['path'], engine: Engine): EngineFacts {
  const facts = engine.facts(mode);
  if (!provider.oneProcessModes?.includes(mode)) return facts;
  const ownProcess = "what is in shared memory can be opened inside the judge's process only";
  return { ...facts, lacks: { ...facts.lacks, ownProcess } };
}
