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
