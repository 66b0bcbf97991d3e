/** The ids of `RETURNING id, slot`, in the order of the slots; the rows may come in any order. */
export function idsBySlot<Id extends bigint | string>(
  returned: readonly Record<string, unknown>[],
  count: number,
): Id[] {
  const ids = new Map(returned.map(({ id, slot }) => [Number(slot), id as Id]));
  return Array.from({ length: count }, (_, slot) => {
    const id = ids.get(slot);
    if (id === undefined) throw new Error(`the insert returned no id for message ${slot}`);
    return id;
  });
}
