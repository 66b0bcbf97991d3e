import type { Guard } from '../../kernel/guard.ts';
import { equalsTheModel, fallbackEqualsBulk } from './by-model.ts';

/** Whether what a window tells and leaves is right, slot by slot. */
export const masterGuards: Guard[] = [equalsTheModel, fallbackEqualsBulk];
