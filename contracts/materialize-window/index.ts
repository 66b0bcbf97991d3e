import { contract } from '../kernel/guard.ts';
import { setupGuards } from '../setup/index.ts';
import { writingGuards } from '../writing/index.ts';
import { masterGuards } from './master/index.ts';
import { parentGuards } from './parent/index.ts';
import { withSchedules } from './pool.ts';
import { raceGuards } from './races/index.ts';
import { rowGuards } from './rows/index.ts';
import { windowWrites } from './writes.ts';

/** What a window of a schedule owes its caller. */
export const materializeWindow = contract({
  name: 'materialize-window',
  title:
    'a window of slots in one commit: a truthful outcome for each, and a cursor that passes none that is not there',
  guards: [
    ...[...setupGuards(windowWrites), ...writingGuards(windowWrites)].map(withSchedules),
    ...masterGuards,
    ...parentGuards,
    ...rowGuards,
    ...raceGuards,
  ],
});
