import { type Mutant, mutant } from '../../../kernel/mutant.ts';
import type { Settled } from '../../../kernel/outcome.ts';
import { passedThrough } from '../../../writing/mutants/batching.ts';
import { materializeWindow as contract } from '../../index.ts';
import type { MaterializeWindowPort, WindowResult } from '../../port.ts';
import { servedSlotBySlot } from '../../serving.ts';
import { membersMutant } from '../spoil.ts';

const target = 'materialize-window/capability-both-ways';

/** Lies about the members of the port. */
export const capabilityMutants: Mutant[] = [
  membersMutant({
    id: 'claims-bulk-and-throws',
    lie: 'Has a bulk member, and it fails whatever it is asked for.',
    target,
    needs: ['bulk'],
    // Nobody who writes a window gets one.
    alsoKilledBy: contract.guards.map(({ id }) => id).filter((id) => id !== target),
    spoil: (_members, tools) => ({
      async materializeWindow() {
        tools.lied();
        throw new Error('not implemented');
      },
    }),
  }),
  mutant<MaterializeWindowPort>({
    id: 'undeclared-bulk-is-called',
    lie: 'Gives bulk up, and has a bulk member that is there to be called.',
    target,
    needs: ['!bulk'],
    wrap(subject, tools) {
      const members = passedThrough(subject);
      const settled = async <T>(value: T | Promise<T>): Promise<Settled<unknown>> => ({ value: await value });
      tools.lied();
      return {
        ...members,
        async materializeWindow(window, options) {
          const result = await servedSlotBySlot(window, {
            materialize: (single) => settled(members.materialize(single, options)),
            advance: (advance) => settled(members.advance(advance, options)),
          });
          return (result as { value: WindowResult }).value;
        },
      };
    },
  }),
];
