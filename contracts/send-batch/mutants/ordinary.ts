import type { Message } from '../port.ts';

const textOptions = ['destination', 'route', 'correlationId'] as const;
const integerOptions = ['delay', 'expiration', 'priority'] as const;

/** The options that a message sets, in its own order. */
export function optionsOf(message: Message): (keyof Message)[] {
  return (Object.keys(message) as (keyof Message)[]).filter((key) => key !== 'body' && message[key] !== undefined);
}

/**
 * A private copy of messages that only the engine can have a reason to refuse, or undefined.
 *
 * Lies about the engine's failures are told of these alone, so that they never get in the way of guards about refusals.
 */
export function ordinaryCopy(messages: readonly Message[]): Message[] | undefined {
  return areOrdinary(messages) ? structuredClone([...messages]) : undefined;
}

/** Whether only the engine can have a reason to refuse these messages. */
export function areOrdinary(messages: readonly Message[]): boolean {
  const bytes = messages.filter(({ body }) => body instanceof Uint8Array).length;
  return messages.every(isOrdinary) && (bytes === 0 || bytes === messages.length);
}

function isOrdinary(message: Message): boolean {
  const { job, dedupeKey, id, columns } = message;
  if ([job, dedupeKey, id, columns].some((value) => value !== undefined)) return false;
  return hasOrdinaryOptions(message) && isPlainData(message.body) && isPlainData(message.headers ?? {});
}

/** Whether every option has a value of its own type. */
export function hasOrdinaryOptions(message: Message): boolean {
  const { headers } = message;
  return (
    textOptions.every((option) => message[option] === undefined || typeof message[option] === 'string') &&
    integerOptions.every((option) => message[option] === undefined || Number.isSafeInteger(message[option])) &&
    (headers === undefined || (typeof headers === 'object' && headers !== null))
  );
}

/** Whether a value is JSON or bytes, told without running a getter. */
export function isPlainData(value: unknown, within: ReadonlySet<object> = new Set()): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || within.has(value)) return false;
  if (value instanceof Uint8Array) return true;
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false;
  if (Array.isArray(value) && Object.keys(value).length !== value.length) return false;
  const deeper = new Set(within).add(value);
  return Object.keys(value).every((key) => {
    const { get, value: member } = Object.getOwnPropertyDescriptor(value, key)!;
    return get === undefined && isPlainData(member, deeper);
  });
}
