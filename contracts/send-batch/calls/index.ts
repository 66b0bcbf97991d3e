import type { Guard } from '../../kernel/guard.ts';
import { ambientContextIsKept } from './ambient.ts';
import { chunkSizeOption } from './chunk-size.ts';
import { emptyBatchSendsNothing } from './empty.ts';
import { syncAndAsyncAgree } from './sync.ts';

/** Ways of sending a batch: of nothing, in chunks of a given size, synchronously, from inside a context. */
export const callGuards: Guard[] = [emptyBatchSendsNothing, chunkSizeOption, syncAndAsyncAgree, ambientContextIsKept];
