import { type Message, type Offer, refuseOthers, type SendOptions } from '../index.ts';
import { exactJson } from './exact-json.ts';
import { integer, text } from './options.ts';

/** What these backends carry for a message, beside its body. */
export const offers: Offer[] = ['destination', 'delay', 'expiration', 'priority', 'route', 'correlationId', 'headers'];

/** What is stored of a message besides its instants: JSON as text, null for what the caller left out. */
interface Content {
  body: string;
  destination: string | null;
  priority: number | null;
  route: string | null;
  correlationId: string | null;
  headers: string | null;
  dedupeKey: string | null;
}

/** A message as it is stored, dated by the caller's clock in epoch milliseconds. */
export interface Outgoing extends Content {
  createdAt: number;
  dueAt: number | null;
  expiresAt: number | null;
}

/** A message that the database is to date: milliseconds from its own now. */
export interface Undated extends Content {
  delay: number | null;
  expiration: number | null;
}

/** All messages of a batch, read and checked before anything is written; the clock is read once for the whole batch. */
export function outgoing(
  messages: readonly Message[],
  options: SendOptions,
  offered: readonly Offer[] = offers,
): Outgoing[] {
  const now = Date.now();
  return undated(messages, options, offered).map(({ delay, expiration, ...content }) => ({
    ...content,
    createdAt: now,
    dueAt: delay === null ? null : now + delay,
    expiresAt: expiration === null ? null : now + expiration,
  }));
}

/**
 * All messages of a batch, read and checked before anything is written: whatever cannot be stored exactly is refused
 * with the position of its message.
 */
export function undated(
  messages: readonly Message[],
  options: SendOptions,
  offered: readonly Offer[] = offers,
): Undated[] {
  refuseOthers(offered, messages, options);
  checkChunkSize(options.chunkSize);
  return messages.map((message, position) => {
    try {
      return readMessage(message);
    } catch (error) {
      throw new MessageRefused(position, error);
    }
  });
}

/** A message that cannot be stored as it is; the cause says why. */
export class MessageRefused extends TypeError {
  override name = 'MessageRefused';
  readonly position: number;
  readonly retryable = false;

  constructor(position: number, cause: unknown) {
    super(`message ${position} cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.position = position;
  }
}

function checkChunkSize(chunkSize: unknown): void {
  if (chunkSize === undefined || (Number.isSafeInteger(chunkSize) && (chunkSize as number) > 0)) return;
  throw Object.assign(new RangeError(`chunkSize is ${String(chunkSize)}, not a whole number from 1 on`), {
    retryable: false,
  });
}

function readMessage(message: Message): Undated {
  const { body, destination, delay, expiration, priority, route, correlationId, headers, dedupeKey } = message;
  return {
    body: exactJson(body),
    destination: text('destination', destination),
    priority: integer('priority', priority),
    route: text('route', route),
    correlationId: text('correlationId', correlationId),
    headers: jsonObject('headers', headers),
    dedupeKey: text('dedupeKey', dedupeKey),
    delay: offset('delay', delay),
    expiration: offset('expiration', expiration),
  };
}

/** Milliseconds from now to an instant that is still a safe integer. */
function offset(option: string, value: unknown): number | null {
  const milliseconds = integer(option, value);
  if (milliseconds === null) return null;
  if (milliseconds < 0 || !Number.isSafeInteger(Date.now() + milliseconds)) {
    throw new TypeError(`${option} is out of range`);
  }
  return milliseconds;
}

function jsonObject(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeError(`${option} is not an object`);
  }
  return exactJson(value);
}
