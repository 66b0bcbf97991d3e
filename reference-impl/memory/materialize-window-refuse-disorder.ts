import type { Entry, MemorySite, Window, WindowOptions, WindowResult } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { checkedCursor, childOffers, readSlots, refuseDisorder, windowDeclaration } from '../window.ts';
import { Materializer } from './materializer.ts';
import { statements } from './schedules.ts';

/** As `plain`, but a window that does not ascend, or begins before the cursor that its caller expects, is refused. */
export const refusingDisorder: Entry<'materialize-window', MemorySite> = {
  declare: { ...windowDeclaration, disorder: 'refused' },
  ...statements,
  open: (site) => new OrderedMaterializer(openStore(site.name)),
};

class OrderedMaterializer extends Materializer {
  materializeWindow(window: Window, options: WindowOptions): WindowResult {
    const slots = readSlots(window.slots, options, childOffers);
    refuseDisorder(slots, checkedCursor(window.expectedCursor));
    return this.write(window, slots, 'moves');
  }
}
