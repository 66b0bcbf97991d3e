import type { Engine } from '../providers/provider.ts';
import type { PathContext } from './judge.ts';
import type { RunOptions } from './run-options.ts';
import type { SelectedPath } from './select.ts';

/** Asks the backend what it declares for this engine, and gathers what the guards of the path share. */
export async function pathContext(
  { path, pool }: SelectedPath,
  engine: Engine,
  options: RunOptions,
): Promise<PathContext> {
  const facts = engine.facts(path.mode);
  const host = await pool.take();
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
