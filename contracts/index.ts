import type { Contract } from './kernel/guard.ts';
import { materializeWindow } from './materialize-window/index.ts';
import { sendBatch } from './send-batch/index.ts';

/** Every contract, in the order in which it is judged. */
export const contracts: readonly Contract[] = [sendBatch, materializeWindow];
