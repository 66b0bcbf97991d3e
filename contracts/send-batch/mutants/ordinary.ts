import { ordinaryCopy as copyOf } from '../../writing/mutants/batching.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import type { Message } from '../port.ts';

const textOptions = ['destination', 'route', 'correlationId'] as const;
const integerOptions = ['delay', 'expiration', 'priority'] as const;

/** The options that a message sets, in its own order. */
export function optionsOf(message: Message): (keyof Message)[] {
  return (Object.keys(message) as (keyof Message)[]).filter((key) => key !== 'body' && message[key] !== undefined);
}

/** A private copy of messages that only the engine can have a reason to refuse, or undefined. */
export function ordinaryCopy(messages: readonly Message[]): Message[] | undefined {
  return copyOf({ areOrdinary }, messages);
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
