import type { Entry, MemorySite, Window, WindowOptions, WindowResult } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { childOffers, readSlots, windowDeclaration } from '../window.ts';
import { Materializer } from './materializer.ts';
import { statements } from './schedules.ts';

/** A window is one insert into each of two tables and one update of the schedule, in one transaction. */
export const plain: Entry<'materialize-window', MemorySite> = {
  declare: windowDeclaration,
  ...statements,
  open: (site) => new WindowMaterializer(openStore(site.name)),
};

/** Materializes windows as well, each in one transaction. */
export class WindowMaterializer extends Materializer {
  materializeWindow(window: Window, options: WindowOptions): WindowResult {
    return this.write(window, readSlots(window.slots, options, childOffers), 'moves');
  }
}
