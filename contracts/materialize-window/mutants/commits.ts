import type { Mutant } from '../../kernel/mutant.ts';
import { inParts, range } from '../../writing/mutants/in-parts.ts';
import { ofKeptRows } from '../../writing/mutants/killers.ts';
import { afterUnknown, tellsUnknown } from '../../writing/mutants/lost-ack.ts';
import type { Slot } from '../port.ts';
import { windowBatching } from './windows.ts';

/** Lies about the commit of a window: there are two of it, or it is sent again. */
export const commitMutants: Mutant[] = [
  inParts(windowBatching, {
    id: 'window-in-two-commits',
    lie: 'Commits the first slot of a window before the others.',
    target: 'is-one-commit',
    alsoKilledBy: ['nothing-persists-after-failure', ...ofKeptRows.filter((guard) => guard !== 'is-one-commit')],
    parts: ({ length }) => [range(0, 1), range(1, length)],
  }),
  afterUnknown(windowBatching, {
    id: 'resend-after-lost-ack',
    lie: 'Sends a window again whose acknowledgement was lost, and moves its slots to where the cursor is by then.',
    target: 'lost-ack-is-all-or-nothing',
    only: tellsUnknown,
    async told(_reply, { items, options, honest }) {
      const again = await honest(items, options);
      return again.every((outcome) => 'stored' in outcome) ? again : honest(moved(items), options);
    },
  }),
];

/** The slots where the grid goes on after them. */
function moved(slots: readonly Slot[]): Slot[] {
  const span = Date.parse(slots.at(-1)!.next!) - Date.parse(slots[0]!.at);
  const later = (at: string) => new Date(Date.parse(at) + span).toISOString();
  return slots.map(({ at, next, child }) => ({ at: later(at), next: later(next!), child }));
}
