import fc from 'fast-check';
import { body } from '../kernel/bodies.ts';
import type { Offer } from '../kernel/capabilities.ts';
import type { Bench } from '../kernel/guard.ts';
import type { Shape } from '../kernel/writes.ts';
import type { Child, Slot } from './port.ts';

/** The options of a child, in the order in which they are set. */
export const childOptions = ['delay', 'expiration', 'route', 'priority'] as const satisfies readonly (keyof Child &
  Offer)[];
export type ChildOption = (typeof childOptions)[number];

/** When generated grids begin: far from now, so that no stamp is taken for a slot. */
const firstSlot = Date.UTC(2031, 2, 3, 4, 5, 0);
const minute = 60_000;

/** Minutes between the first slots of two lists: none is longer, so that slots of two lists never meet. */
const apart = 200_000;

/** The n-th instant of a grid of minutes. */
export function gridInstant(index: number): string {
  return new Date(firstSlot + index * minute).toISOString();
}

/** The options of a child that this backend offers. */
export function offeredOptions({ declaration }: Bench): ChildOption[] {
  return childOptions.filter((option) => declaration.offers.includes(option));
}

/**
 * Slots of one grid, ascending and one minute apart, each with a child that differs from the others in every value and
 * has a nonce in its body. The last one is not the end of the grid, and slots that are made later come after it.
 */
export function slots(bench: Bench, count: number, shape: Shape = 'full'): Slot[] {
  const batch = bench.token();
  const from = apart * Number(batch.split('x').at(-1));
  const offered = shape === 'bare' ? [] : offeredOptions(bench);
  const selections = shape === 'mixed' ? mixedSelections(bench, count, offered) : undefined;
  const rank = bench.draw(fc.integer({ min: 1, max: 997 }));
  return Array.from({ length: count }, (_, index) => {
    const child: Child = { body: body(bench, `${batch}-${index}`, index) };
    for (const option of selections?.[index] ?? offered)
      Object.assign(child, { [option]: optionValue(option, index * rank + 1) });
    return { at: gridInstant(from + index), next: gridInstant(from + index + 1), child };
  });
}

/** A value of one option; another one for every rank. */
export function optionValue(option: ChildOption, rank: number): unknown {
  switch (option) {
    case 'delay':
      return 1000 * (7 + rank);
    case 'expiration':
      return 1000 * (90 * 86_400 + rank);
    case 'route':
      return `route-${rank}`;
    case 'priority':
      return rank;
  }
}

/** The slot with an option of its child that the backend may not know; undefined where a child has no such option. */
export function usingOption(slot: Slot, offer: Offer): Slot | undefined {
  const option = childOptions.find((known) => known === offer);
  return option && { ...slot, child: { ...slot.child, [option]: optionValue(option, 1) } };
}

/** For each slot some of the options; the first slots have none, all, and one. */
function mixedSelections(bench: Bench, count: number, offered: ChildOption[]): ChildOption[][] {
  const drawn = bench.draw(fc.array(fc.shuffledSubarray(offered), { minLength: count, maxLength: count }));
  const fixed = [[], [...offered].reverse(), offered.slice(0, 1)];
  return drawn.map((selection, index) => fixed[index] ?? selection);
}
