import type { Counterexample, SlotLine, SlotMark } from '../contracts/kernel/counterexample.ts';
import { paint, type Style, sign, type Terminal } from './terminal.ts';
import { columns, counted, pad, paragraph, shorten, shortenPair, visible } from './text.ts';

/** Slots that are shown at most; the others are counted. */
const shownSlots = 12;
const headings = ['slot', 'mark', 'sent', 'expected', 'stored'] as const;
const gap = '  ';

const markStyles: Record<SlotMark, Style> = {
  ok: 'green',
  lost: 'red',
  duplicated: 'red',
  reordered: 'yellow',
  torn: 'red',
  changed: 'yellow',
  wrong: 'red',
};

/** A counterexample as a table with a line for each slot: what was sent, expected and stored. */
export function renderCounterexample(counterexample: Counterexample, terminal: Terminal): string[] {
  const input = paragraph('input  ', visible(counterexample.input, terminal), terminal.width);
  return counterexample.slots.length === 0 ? input : [...input, ...table(counterexample.slots, terminal)];
}

function table(slots: SlotLine[], terminal: Terminal): string[] {
  const shown = aroundBadSlots(slots);
  const cells = shown.map((index) => cellsOf(slots[index]!, terminal));
  const widths = columnWidths(cells, terminal.width);
  const lines = [paint(terminal, 'dim', row([...headings], widths))];
  let next = 0;
  shown.forEach((index, i) => {
    if (index > next) lines.push(leftOut(slots.slice(next, index), terminal));
    lines.push(slotRow(slots[index]!, cells[i]!, widths, terminal));
    next = index + 1;
  });
  if (next < slots.length) lines.push(leftOut(slots.slice(next), terminal));
  return lines;
}

/** Indices of the first bad slots, each with the slots beside it; the first slots where none is bad. */
function aroundBadSlots(slots: SlotLine[]): number[] {
  const shown = new Set<number>();
  slots.forEach((slot, i) => {
    if (slot.mark === 'ok') return;
    for (const near of [i - 1, i, i + 1]) {
      if (near >= 0 && near < slots.length && shown.size < shownSlots) shown.add(near);
    }
  });
  if (shown.size === 0) return slots.slice(0, shownSlots).map((_, i) => i);
  return [...shown].sort((a, b) => a - b);
}

function leftOut(slots: SlotLine[], terminal: Terminal): string {
  const bad = slots.filter((slot) => slot.mark !== 'ok').length;
  const more = sign(terminal, 'more');
  if (bad === 0) return paint(terminal, 'dim', `${more} ${counted(slots.length, 'more slot')} ok`);
  return paint(terminal, 'dim', `${more} ${counted(slots.length, 'more slot')}, ${bad} of them not ok`);
}

function cellsOf(slot: SlotLine, terminal: Terminal): string[] {
  const values = [slot.sent, slot.expected, slot.stored].map((value) => visible(value, terminal));
  return [String(slot.slot), slot.mark, ...values];
}

/** Slot and mark get what they need; the three values share the rest, and none takes more than it needs. */
function columnWidths(rows: string[][], width: number): number[] {
  const natural = headings.map((heading, i) => Math.max(columns(heading), ...rows.map((r) => columns(r[i]!))));
  const [slot, mark, ...values] = natural as [number, number, number, number, number];
  let room = width - slot - mark - gap.length * 4;
  const shares = values.map(() => 0);
  const byNeed = [0, 1, 2].sort((a, b) => values[a]! - values[b]!);
  byNeed.forEach((column, i) => {
    const share = Math.max(Math.min(values[column]!, Math.floor(room / (3 - i))), columns(headings[column + 2]!));
    shares[column] = share;
    room -= share;
  });
  return [slot, mark, ...shares];
}

function slotRow(slot: SlotLine, cells: string[], widths: number[], terminal: Terminal): string {
  const [number, mark, sent, expected, stored] = cells as [string, string, string, string, string];
  const [shortExpected, shortStored] = shortenPair(expected, stored, [widths[3]!, widths[4]!], terminal);
  const start = `${number.padStart(widths[0]!)}${gap}`;
  const values = row([shorten(sent, widths[2]!, terminal), shortExpected, shortStored], widths.slice(2));
  return `${start}${paint(terminal, markStyles[slot.mark], pad(mark, widths[1]!))}${gap}${values}`;
}

function row(cells: string[], widths: number[]): string {
  return cells.map((cell, i) => (i === cells.length - 1 ? cell : pad(cell, widths[i]!))).join(gap);
}
