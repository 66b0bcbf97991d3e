import type { Mutant } from '../../kernel/mutant.ts';
import { afterUnknown, tellsUnknown } from '../../writing/mutants/lost-ack.ts';
import { sendBatching } from './batches.ts';

/** What is sent again is stored again, where nothing says that it is there already. */
export const lostAckMutants: Mutant[] = [
  afterUnknown(sendBatching, {
    id: 'resend-after-lost-ack',
    lie: 'Sends a batch again whose acknowledgement was lost.',
    target: 'lost-ack-is-all-or-nothing',
    only: tellsUnknown,
    told: (_reply, { items, options, honest }) => honest(items, options),
  }),
];
