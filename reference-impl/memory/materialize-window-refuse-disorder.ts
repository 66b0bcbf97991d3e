import type { Entry, Expected, MemorySite, WindowResult } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { checkedCursor, type NewSlot, refuseDisorder, windowDeclaration } from '../window.ts';
import { WindowMaterializer } from './materialize-window-plain.ts';
import { statements } from './schedules.ts';

/** As `plain`, but slots that do not ascend, or begin before the cursor that their caller expects, are refused. */
export const refusingDisorder: Entry<'materialize-window', MemorySite> = {
  declare: { ...windowDeclaration, disorder: 'refused' },
  ...statements,
  open: (site) => new OrderedMaterializer(openStore(site.name)),
};

class OrderedMaterializer extends WindowMaterializer {
  protected override write(expected: Expected, slots: readonly NewSlot[], pastTaken: 'moves' | 'stays'): WindowResult {
    refuseDisorder(slots, checkedCursor(expected.expectedCursor));
    return super.write(expected, slots, pastTaken);
  }
}
