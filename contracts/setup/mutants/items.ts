/** What a call writes: messages, or the children of slots. */
export type Written = Record<string, unknown>;

/** The items of a call that writes one or more of them; none of any other. */
export function itemsOf([first]: readonly unknown[]): Written[] {
  if (isWindow(first)) return first.slots.map(({ child }) => child);
  if (isSingleSlot(first)) return [first.slot.child];
  return (Array.isArray(first) ? first : [first]).filter(isMessage);
}

/** The arguments of a call with each item changed. */
export function withItems([first, ...rest]: readonly unknown[], change: (item: Written) => Written): unknown[] {
  const changed = (slot: Slot): Slot => ({ ...slot, child: change(slot.child) });
  if (isWindow(first)) return [{ ...first, slots: first.slots.map(changed) }, ...rest];
  if (isSingleSlot(first)) return [{ ...first, slot: changed(first.slot) }, ...rest];
  if (Array.isArray(first)) return [first.map((item) => (isMessage(item) ? change(item) : item)), ...rest];
  return [isMessage(first) ? change(first) : first, ...rest];
}

interface Slot {
  child: Written;
}

function isWindow(value: unknown): value is { slots: readonly Slot[] } {
  return typeof value === 'object' && value !== null && 'slots' in value;
}

function isSingleSlot(value: unknown): value is { slot: Slot } {
  return typeof value === 'object' && value !== null && 'slot' in value;
}

function isMessage(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && 'body' in value;
}
