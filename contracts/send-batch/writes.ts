import { tokenIn, wideBody } from '../kernel/bodies.ts';
import { type Bench, type CallOptions, type Rig, Violation } from '../kernel/guard.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { short } from '../kernel/print.ts';
import { Recipe } from '../kernel/recipe.ts';
import { rowDifferences } from '../kernel/rows.ts';
import type { OtherCall, StoredItem, Writes, Written } from '../kernel/writes.ts';
import { exceptDrawn } from './drawn.ts';
import { messages, usingOption, withEveryOffer } from './messages.ts';
import type { Message } from './port.ts';
import { decodeRow, messageDifferences } from './rows.ts';

/** How send-batch writes, for the guards that all writing contracts share. */
export const sendWrites: Writes<Message> = {
  contract: 'send-batch',
  members: ['sendBatch', 'sendBatchSync', 'send', 'begin', 'receive', 'accept', 'flush', 'read', 'inContext'],
  membersOf: {
    transaction: ['begin'],
    fifo: ['receive'],
    buffered: ['accept', 'flush'],
    sync: ['sendBatchSync'],
    read: ['read'],
    ambient: ['inContext'],
  },
  noun: 'messages',
  items: messages,
  token: (message) => tokenIn(message.body) ?? '',
  values: (message) => ({ ...message }),
  print: (message) => short(message, 72),
  unreadable: (message) => ({ ...message, body: new Recipe('throwing-getter', tokenIn(message.body)) }),
  wide: (bench, message, characters) => ({
    ...message,
    body: wideBody(bench, tokenIn(message.body) ?? '', characters),
  }),
  using: usingOption,
  sharing: (batch) => {
    const headers = batch.find((m) => m.headers)?.headers;
    return headers && batch.map((message) => ({ ...message, headers }));
  },
  withEveryOffer,
  write: (rig, batch, options) => reported(rig, 'sendBatch', [batch, {}], options),
  otherCalls,
  writeOne: async (rig, message, options) => {
    if (!rig.subject.members.includes('send')) return reported(rig, 'sendBatch', [[message], {}], options);
    return reported(rig, 'send', [message, {}], options);
  },
  stored,
  differences: messageDifferences,
  rowDifferences: (bench, found, expected) => exceptDrawn(bench, sendWrites, rowDifferences(bench, found, expected)),
};

/** Messages of a chunk that the caller asks for: fewer than any batch has that is meant to need several. */
const chunkSize = 7;

function otherCalls({ declaration: { offers, extras } }: Bench): OtherCall<Message>[] {
  const inChunks: OtherCall<Message> = {
    name: 'with-chunk-size',
    how: `with chunkSize ${chunkSize}`,
    blocks: false,
    write: (rig, batch, options) => sendBatchWith(rig, batch, { chunkSize }, options),
  };
  const bySync: OtherCall<Message> = {
    name: 'by-the-sync-member',
    how: 'by sendBatchSync',
    blocks: true,
    write: (rig, batch, options) => reported(rig, 'sendBatchSync', [batch, {}], options),
  };
  return [...(offers.includes('chunkSize') ? [inChunks] : []), ...(extras.includes('sync') ? [bySync] : [])];
}

/** Sends a batch with options of the call that are plain data. */
export function sendBatchWith(
  rig: Rig,
  batch: readonly Message[],
  sendOptions: Record<string, unknown>,
  options?: CallOptions,
): Promise<Written> {
  return reported(rig, 'sendBatch', [batch, sendOptions], options);
}

/** Calls a member that returns outcomes, or one outcome. */
export async function reported(
  rig: Rig,
  member: 'send' | 'sendBatch' | 'sendBatchSync' | 'flush',
  args: unknown[],
  options: CallOptions = {},
): Promise<Written> {
  const startedAt = Date.now();
  const settled = await rig.subject.call(member, args, options);
  const settledAt = Date.now();
  const common = { startedAt, settledAt, touched: settled.touched };
  if ('threw' in settled) return { ...common, outcomes: null, threw: settled.threw, malformed: undefined };
  const list = member === 'send' ? [settled.value] : settled.value;
  const outcomes = Array.isArray(list) && list.every(isOutcome) ? (list as Outcome[]) : null;
  return { ...common, outcomes, threw: undefined, malformed: outcomes ? undefined : malformedText(list) };
}

function isOutcome(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  return 'stored' in value || 'duplicate' in value || 'failed' in value || 'unknown' in value;
}

function malformedText(value: unknown): string {
  if (!Array.isArray(value)) return short(value);
  const slot = value.findIndex((v) => !isOutcome(v));
  const found = value[slot] as { malformed?: string } | undefined;
  return `outcome ${slot} is ${found?.malformed ?? short(found)}, not { stored: id }, { duplicate: id }, { failed: error } or { unknown: error }`;
}

async function stored(bench: Bench, rig: Rig): Promise<StoredItem[]> {
  const found = await rig.read();
  if ('missing' in found) throw new Violation(`the namespace is not there: the probe misses ${found.missing}`);
  return found.rows.map((row) => decodeRow(bench.declaration, row));
}
