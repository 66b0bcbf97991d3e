import type { Entry, MemorySite } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { windowDeclaration } from '../window.ts';
import { Materializer } from './materializer.ts';
import { statements } from './schedules.ts';

/** A backend that materializes one slot a call, and no windows: each slot is a transaction of its own. */
export const slotBySlot: Entry<'materialize-window', MemorySite> = {
  declare: {
    ...windowDeclaration,
    givesUp: {
      bulk: 'it has a member for one slot alone',
      atomic: 'each slot is committed on its own, so that those before one that fails stay',
      isolated: 'a reader sees the slots that are committed so far',
      batched: 'each slot is inserted by an operation of its own',
    },
  },
  ...statements,
  open: (site) => new Materializer(openStore(site.name)),
};
