import { contracts } from '../contracts/index.ts';
import { judge, type PathContext } from './judge.ts';
import type { Turns } from './turns.ts';

/**
 * Why nothing can be proved on a path, in words: the first of the guards that all others rest on which does not let the
 * backend itself live. Null where they all do.
 */
export async function brokenSetup(context: PathContext, turns: Turns): Promise<string | null> {
  const { guards } = contracts.find(({ name }) => name === context.path.contract)!;
  for (const guard of guards.filter(({ foundation }) => foundation)) {
    const { verdict, message, reason } = await turns.run(() => judge(guard, { ...context, firstOnly: true }));
    if (verdict !== 'upheld' && verdict !== 'not-applicable')
      return `${guard.id} does not let the backend itself live: ${message ?? reason}`;
  }
  return null;
}
