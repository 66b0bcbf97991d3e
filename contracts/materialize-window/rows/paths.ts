import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { servedBySingles, whatIsWrong, windowResult } from '../calls.ts';
import type { Window, WindowResult } from '../port.ts';

/** A way by which a backend writes slots: many in one call, or one call for each. */
export interface Path {
  name: 'bulk' | 'single';
  write(rig: Rig, window: Window): Promise<WindowResult>;
}

/** The ways by which this backend writes slots. */
export function paths(bench: Bench): Path[] {
  const single: Path = { name: 'single', write: bySingles };
  if (bench.declaration.givesUp.bulk !== undefined) return [single];
  return [{ name: 'bulk', write: (rig, window) => windowResult(bench, rig, window) }, single];
}

/** What a window came to that was served by the single members. Throws a `Violation` when one of them threw. */
export async function bySingles(rig: Rig, window: Window): Promise<WindowResult> {
  const settled = await servedBySingles(rig, window);
  if ('threw' in settled) throw new Violation(`a single slot failed: ${settled.threw.name}: ${settled.threw.message}`);
  const wrong = whatIsWrong(settled.value);
  if (wrong) throw new Violation(`the single slots returned ${wrong}`);
  return settled.value as WindowResult;
}
