import type { Guard } from '../../kernel/guard.ts';
import { cancelWhileWaitingWins } from './cancel.ts';
import { racersCreateEachSlotOnce } from './racers.ts';

/** What calls owe to others that come at the same time. */
export const raceGuards: Guard[] = [racersCreateEachSlotOnce, cancelWhileWaitingWins];
