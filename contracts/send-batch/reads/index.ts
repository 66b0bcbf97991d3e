import type { Guard } from '../../kernel/guard.ts';
import { equalTimesStayInOrder } from './arrival.ts';
import { ownReadsAgree } from './own-reads.ts';

/** What the backend itself gives back of a batch. */
export const readGuards: Guard[] = [ownReadsAgree, equalTimesStayInOrder];
