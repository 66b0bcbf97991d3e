/**
 * Instants of schedules are stored as integers, microseconds since 1970: they compare as instants whatever offset they
 * were written with, and none that JSON writes is cut off. They are bigints here, since those after the year 2255 exceed
 * 2^53.
 */

/** ISO text as microseconds; what is finer is cut off. */
export function microseconds(at: string): bigint {
  const [, fraction = ''] = /\.(\d+)/.exec(at) ?? [];
  // Date keeps the first three digits.
  const rest = fraction.slice(3, 6).padEnd(3, '0');
  return BigInt(Date.parse(at)) * 1000n + BigInt(rest);
}

/** Microseconds as ISO text. */
export function isoText(instant: bigint): string {
  // The remainder of a negative number is negative.
  const rest = ((instant % 1000n) + 1000n) % 1000n;
  const milliseconds = new Date(Number((instant - rest) / 1000n)).toISOString();
  return milliseconds.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/** Rows as one JSON text. Their bigints travel as text, since JSON numbers lose digits; the columns make them integers. */
export function jsonRows(rows: readonly unknown[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
