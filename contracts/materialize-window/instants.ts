/** Microseconds since 1970: no engine here stores a finer step. */
export type Instant = bigint;

const form = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d(?::?\d\d)?)$/;

/** The instant that ISO 8601 text with an offset stands for, without what is finer; undefined for other text. */
export function parsedInstant(text: string): Instant | undefined {
  const match = form.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as Six;
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + (minute - offsetMinutes(match[8]!)) * 60 + second;
  return BigInt(seconds) * 1_000_000n + BigInt((match[7] ?? '').padEnd(6, '0').slice(0, 6));
}
type Six = [number, number, number, number, number, number];

function offsetMinutes(offset: string): number {
  if (offset === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
}

/** The instant that a caller gave as text, at the resolution in which the backend stores it (in milliseconds). */
export function givenInstant(text: string, resolution: number): Instant {
  const instant = parsedInstant(text);
  if (instant === undefined) throw new TypeError(`${text} is no instant with an offset`);
  return floored(instant, resolution);
}

/**
 * The instant that a probe shows, as text with an offset, epoch milliseconds or a Date, at a resolution in milliseconds.
 * Undefined for a value that is none.
 */
export function shownInstant(value: unknown, resolution: number): Instant | undefined {
  const instant = exactly(value);
  return instant === undefined ? undefined : floored(instant, resolution);
}

function exactly(value: unknown): Instant | undefined {
  if (typeof value === 'string') return parsedInstant(value);
  if (typeof value === 'bigint') return value * 1000n;
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.round(value * 1000));
  return value instanceof Date ? exactly(value.getTime()) : undefined;
}

/** The last step of a resolution (in milliseconds) that is not after the instant. */
export function floored(instant: Instant, resolution: number): Instant {
  const step = BigInt(Math.max(1, Math.round(resolution * 1000)));
  return instant - (((instant % step) + step) % step);
}

/** Milliseconds as a distance between instants. */
export function milliseconds(count: number): bigint {
  return BigInt(Math.round(count * 1000));
}

/** The instant as ISO 8601 text in UTC, with microseconds where it has any. */
export function instantText(instant: Instant): string {
  const whole = floored(instant, 1);
  const text = new Date(Number(whole / 1000n)).toISOString();
  const rest = instant - whole;
  return rest === 0n ? text : text.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
