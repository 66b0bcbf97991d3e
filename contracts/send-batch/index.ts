import { contract } from '../kernel/guard.ts';
import { setupGuards } from '../setup/index.ts';
import { withNamespace } from '../setup/on-demand.ts';
import { writingGuards } from '../writing/index.ts';
import { bufferGuards } from './buffers/index.ts';
import { callGuards } from './calls/index.ts';
import { failureGuards } from './failures/index.ts';
import { heldGuards } from './held/index.ts';
import { idGuards } from './ids/index.ts';
import { keyGuards } from './keys/index.ts';
import { readGuards } from './reads/index.ts';
import { valueGuards } from './values/index.ts';
import { sendWrites } from './writes.ts';

/** What a batch of messages owes its caller. */
export const sendBatch = contract({
  name: 'send-batch',
  title: "a whole batch of messages: ids in the caller's order, all or nothing, every option kept",
  guards: [
    ...setupGuards(sendWrites),
    ...writingGuards(sendWrites),
    ...failureGuards,
    ...heldGuards,
    ...idGuards,
    ...valueGuards,
    ...readGuards,
    ...callGuards,
    ...bufferGuards,
    ...keyGuards,
  ].map((guard) => withNamespace(sendWrites, guard)),
});
