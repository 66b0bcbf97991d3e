/** The ids of `RETURNING id, slot`, in the order of the slots; the rows may come in any order. */
export function idsBySlot(returned: readonly Record<string, unknown>[], count: number): string[] {
  const ids = new Map(returned.map(({ id, slot }) => [slot, id as string]));
  return Array.from({ length: count }, (_, slot) => {
    const id = ids.get(slot);
    if (id === undefined) throw new Error(`the insert returned no id for message ${slot}`);
    return id;
  });
}
