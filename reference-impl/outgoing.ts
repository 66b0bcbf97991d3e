import { type Message, type Offer, refuseOthers, type SendOptions } from '../index.ts';
import { exactJson } from './exact-json.ts';

/** What these backends carry for a message, beside its body. */
export const offers: Offer[] = ['destination', 'delay', 'expiration', 'priority', 'route', 'correlationId', 'headers'];

/** A message as it is stored: JSON as text, instants in epoch milliseconds, null for what the caller left out. */
export interface Outgoing {
  body: string;
  destination: string | null;
  priority: number | null;
  route: string | null;
  correlationId: string | null;
  headers: string | null;
  createdAt: number;
  dueAt: number | null;
  expiresAt: number | null;
}

/**
 * All messages of a batch, read and checked before anything is written: the clock is read once for the whole batch, and
 * whatever cannot be stored exactly is refused with the position of its message.
 */
export function outgoing(messages: readonly Message[], options: SendOptions): Outgoing[] {
  refuseOthers(offers, messages, options);
  const now = Date.now();
  return messages.map((message, position) => {
    try {
      return readMessage(message, now);
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

function readMessage(message: Message, now: number): Outgoing {
  const { body, destination, delay, expiration, priority, route, correlationId, headers } = message;
  return {
    body: exactJson(body),
    destination: text('destination', destination),
    priority: integer('priority', priority),
    route: text('route', route),
    correlationId: text('correlationId', correlationId),
    headers: jsonObject('headers', headers),
    createdAt: now,
    dueAt: instant('delay', delay, now),
    expiresAt: instant('expiration', expiration, now),
  };
}

/** Plain text columns cannot hold NUL or half a character exactly on every engine. */
function text(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') throw new TypeError(`${option} is not text`);
  if (/[\0\p{Surrogate}]/u.test(value)) throw new TypeError(`${option} holds NUL or a lone surrogate`);
  return value;
}

function integer(option: string, value: unknown): number | null {
  if (value === undefined) return null;
  if (!Number.isSafeInteger(value)) throw new TypeError(`${option} is not a safe integer`);
  return value as number;
}

function instant(option: string, milliseconds: unknown, now: number): number | null {
  const offset = integer(option, milliseconds);
  if (offset === null) return null;
  if (offset < 0 || !Number.isSafeInteger(now + offset)) throw new TypeError(`${option} is out of range`);
  return now + offset;
}

function jsonObject(option: string, value: unknown): string | null {
  if (value === undefined) return null;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TypeError(`${option} is not an object`);
  }
  return exactJson(value);
}
