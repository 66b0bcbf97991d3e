import type { Declaration, Message, Offer, SendOptions } from '../../index.ts';
import { MessageRefused, type Outgoing, outgoing } from '../outgoing.ts';

/** A row of the table of messages before it is stored. */
export interface NewMessage extends Outgoing {
  /** The caller's own id, or one that is drawn. */
  messageId: string;
  dedupeKey: string | null;
  /** The ambient context in which the message was sent. */
  context: string | null;
  /** A secret of each message, drawn when it is sent. */
  receipt: string;
  attempts: number;
  /** Columns of the user's own. */
  [column: string]: unknown;
}

/** A message that was read: its row, and what is stored beside it. */
export interface Reading {
  /** Its place in the batch. */
  position: number;
  row: NewMessage;
  /** Whether the caller chose the id. */
  ownId: boolean;
  /** The scheduled job that it asks for. */
  job: string | null;
}

/** What messages may ask for. */
export interface ReadingRules {
  offers: readonly Offer[];
  destinations: Declaration['destinations'];
  /** Messages of a batch, at most. */
  maxItems: number;
}

/** All messages of a batch, read and checked before anything is written. */
export function readMessages(
  messages: readonly Message[],
  options: SendOptions,
  rules: ReadingRules,
  context: string | null,
): Reading[] {
  if (messages.length > rules.maxItems) {
    throw new RangeError(`a batch has at most ${rules.maxItems} messages, and this one has ${messages.length}`);
  }
  return outgoing(messages, options, rules.offers).map((content, position) => {
    try {
      return { position, ...readMessage(messages[position]!, content, rules, context) };
    } catch (error) {
      throw new MessageRefused(position, error);
    }
  });
}

function readMessage(message: Message, content: Outgoing, rules: ReadingRules, context: string | null) {
  const { destination } = content;
  if (destination !== null && rules.destinations !== 'any' && !rules.destinations.includes(destination)) {
    throw new TypeError(`there is no destination ${JSON.stringify(destination)}`);
  }
  const id = name('id', message.id);
  const own = {
    ...content,
    messageId: id ?? crypto.randomUUID(),
    dedupeKey: name('dedupeKey', message.dedupeKey),
    context,
    receipt: crypto.randomUUID(),
    attempts: 0,
  };
  return {
    row: { ...columns(message.columns, own), ...own },
    ownId: id !== null,
    job: name('job', message.job),
  };
}

function name(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || value === '') throw new TypeError(`${option} is not a text that is not empty`);
  return value;
}

/** Values for columns that are none of the store's own. */
function columns(given: unknown, own: object): Record<string, unknown> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null) throw new TypeError('columns is not an object');
  for (const [column, value] of Object.entries(given)) {
    if (column === 'id' || Object.hasOwn(own, column))
      throw new TypeError(`the column ${column} is not the user's own`);
    const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value);
    if (!isScalar) throw new TypeError(`column ${column} is no text, number, boolean or null`);
  }
  return { ...given };
}
