import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, passedThrough } from '../../writing/mutants/batching.ts';
import { ask, hasFailed } from '../../writing/mutants/replies.ts';
import type { Message, SendBatchPort, SendOptions } from '../port.ts';
import { areOrdinary, optionsOf } from './ordinary.ts';

const destinations = 'unknown-destination-fails-whole';
const original = 'original-error-survives-rollback';
const racing = 'concurrent-batches-keep-their-own-ids';
const reports = 'every-outcome-reports-the-failure';
const bodies = 'body-round-trips';

/** A batch of messages as the lies about all batches see it. */
export const sendBatching: Batching<Message, SendBatchPort> = {
  contract: 'send-batch',
  item: 'message',
  items: 'messages',
  needs: [],
  alsoFoundBy: {
    'rollback-keeps-one-row': [racing, original],
    'rollback-leaves-a-stranger': [original],
    'commit-per-chunk': [destinations],
    'last-chunk-apart': [destinations],
    'flash-one-row': [racing, original],
    'two-halves-with-compensation': [original],
    'ghosts-with-the-next-batch': [destinations],
    'commit-error-swallowed': [reports, original],
    'kept-in-memory-till-close': [original],
    // Keys are sent again by a second subject, too.
    'starts-afresh': ['replay-is-recognised'],
    'empty-batch-never-settles': ['empty-batch-sends-nothing'],
    'bytes-counted-as-characters': [bodies],
    'oversize-row-sent-alone': [bodies],
    'loop-of-singles': [reports, 'unserializable-body-fails-whole', 'scheduled-jobs-are-rejected'],
  },
  spoiled: (subject, spoil) => ({ ...passedThrough(subject), sendBatch: spoil(honestly(subject)) }),
  isLeftToOthers,
  areOrdinary,
  body: ({ body }) => body,
  withBody: (message, body) => ({ ...message, body }),
  optionsOf,
  storeStranger: (subject) => storeStranger(honestly(subject)),
};

/** The batch call of a subject. */
export type SendBatch = (messages: readonly Message[], options: SendOptions) => Promise<readonly ReportedOutcome[]>;

/** The subject's own batch call, which begins at once and reports by a promise. */
export function honestly(subject: SendBatchPort): SendBatch {
  return async (messages, options) => subject.sendBatch(messages, options);
}

/** What a call can use that has guards of its own, and which guards those are. */
const uses: { is(messages: readonly Message[], options: SendOptions): boolean; guards: RegExp }[] = [
  { is: (_messages, { transaction }) => transaction !== undefined, guards: /held|waits-for-the-holder|unsupported/ },
  { is: (_messages, { chunkSize }) => chunkSize !== undefined, guards: /chunk-size|unsupported/ },
  { is: (messages) => messages.some(({ id }) => id !== undefined), guards: /caller-ids|conflict|falsy|unsupported/ },
];

/** Whether a call is left to the lies about what it uses. */
export function isLeftToOthers(target: string, messages: readonly Message[], options: SendOptions): boolean {
  return uses.some(({ is, guards }) => !guards.test(target) && is(messages, options));
}

/** Stores a row that belongs to no message of a guard; whether the subject took one. */
export async function storeStranger(honest: SendBatch): Promise<boolean> {
  for (const body of [null, '', new Uint8Array()]) {
    if (!hasFailed(await ask(honest, [{ body }], {}))) return true;
  }
  return false;
}
