import type { Mutant } from './kernel/mutant.ts';
import { materializeWindowMutants } from './materialize-window/mutants/index.ts';
import { sendBatchMutants } from './send-batch/mutants/index.ts';
import { setupMutants } from './setup/mutants/index.ts';

/** Every behavioural mutant, by the name of its contract and its own: `send-batch/ids-reversed`. */
export const mutants: Mutant[] = [
  ...named('setup', setupMutants),
  ...named('send-batch', sendBatchMutants),
  ...named('materialize-window', materializeWindowMutants),
];

function named(contract: string, list: readonly Mutant[]): Mutant[] {
  return list.map((mutant) => ({ ...mutant, id: `${contract}/${mutant.id}` }));
}
