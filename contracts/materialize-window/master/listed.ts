import type { Bench } from '../../kernel/guard.ts';
import { auditLevels } from '../port.ts';
import type { Played } from './play.ts';
import { mostRuns, ordinary, type Scenario, scenario, unknownLevels } from './scenario.ts';

const ends = (count: number, end: number) => {
  const call = ordinary(count);
  call.slots[end]!.ends = true;
  return call;
};
const twins = (count: number, twin: number) => {
  const call = ordinary(count);
  call.slots[twin]!.steps = 0;
  return call;
};

/** Windows of each kind, so that none depends on what is drawn; each has so many slots at least. */
export function listedWindows(least: number): Scenario[] {
  return windows.filter(({ calls }) => calls.every(({ slots }) => slots.length >= least));
}

const windows: Scenario[] = [
  scenario([ordinary(5)]),
  scenario([ordinary(0)]),
  scenario([ordinary(5)], { taken: [0] }),
  scenario([ordinary(5)], { taken: [2], runs: null }),
  scenario([ordinary(5)], { taken: [4], fine: true }),
  scenario([ordinary(5)], { taken: [0, 1, 2, 3, 4], runs: null }),
  scenario([ordinary(5)], { taken: [1, 3], runs: mostRuns - 1 }),
  scenario([ordinary(5)], { taken: [1], runs: mostRuns }),
  scenario([ordinary(3)], { taken: [0, 1, 2], runs: mostRuns - 1 }),
  scenario([twins(5, 2)]),
  scenario([ends(5, 4)]),
  scenario([ends(5, 4)], { taken: [4], runs: null }),
  scenario([ends(5, 2)], { taken: [1] }),
  ...[...auditLevels, ...unknownLevels].map((level) => scenario([{ ...ends(3, 2), level }], { taken: [1] })),
  scenario([ordinary(3, { version: 'wrong' })], { taken: [1] }),
  scenario([ordinary(3, { cursor: 'wrong' })], { taken: [1] }),
  scenario([ordinary(3, { cursor: 'none' })], { taken: [1] }),
  scenario([ordinary(3, { cursor: 'offset' })], { taken: [1], fine: true }),
  ...(['completed', 'cancelled'] as const).map((status) => scenario([ordinary(3)], { taken: [1], status })),
  // What is taken beforehand is taken under a schedule that is then there.
  scenario([ordinary(3)], { status: 'missing' }),
  scenario([ordinary(3, { version: 'wrong' })], { version: 0 }),
  ...(['second', 'finest'] as const).flatMap((grid) => [
    scenario([ordinary(5)], { taken: [1, 2], grid }),
    scenario([ordinary(3, { cursor: 'wrong' })], { grid, fine: true }),
  ]),
  scenario([ordinary(5)], { taken: [1], past: true }),
  scenario([{ ...ends(3, 2), cursor: 'offset' }], { fine: true }),
  scenario([ordinary(3), ordinary(3), ends(2, 1)], { taken: [1, 4] }),
];

/** The same calls by the members for one slot. */
export const listedSingles: Scenario[] = [
  scenario([ordinary(1, { by: 'single' }), ordinary(1, { by: 'advance' })], { runs: null }),
  scenario([ordinary(1, { by: 'single' }), ordinary(1, { by: 'advance' })], { taken: [0], runs: mostRuns }),
  scenario([{ ...ends(1, 0), by: 'single' }]),
  scenario([{ ...ends(1, 0), by: 'single' }], { runs: null }),
  scenario([{ ...ends(1, 0), by: 'advance' }], { taken: [0] }),
  scenario([ordinary(1, { by: 'single', version: 'wrong' }), ordinary(1, { by: 'advance', cursor: 'wrong' })]),
  scenario([ordinary(1, { by: 'single', version: 'wrong' }), ordinary(1, { by: 'advance', version: 'wrong' })], {
    version: 0,
  }),
  ...(['second', 'finest'] as const).map((grid) =>
    scenario([ordinary(1, { by: 'single', cursor: 'wrong' }), ordinary(1, { by: 'advance', cursor: 'wrong' })], {
      grid,
      fine: true,
    }),
  ),
  scenario([ordinary(1, { by: 'single' }), { ...ends(1, 0), by: 'advance' }], { past: true, fine: true }),
  scenario([ordinary(1, { by: 'single' })], { status: 'missing' }),
];

/** A window of more slots than one statement is likely to take at once. */
export const large = scenario([ordinary(1_100)], { taken: [3, 1_050] });

/** The kinds of windows that a guard has to have met. */
export const windowKinds = [
  'windows without a conflict',
  'first slots taken',
  'middle slots taken',
  'last slots taken',
  'windows that are taken whole',
  'windows with twins',
  'ends of a grid',
  'run counts that reach their maximum',
  ...[...auditLevels, ...unknownLevels].map(atLevel),
  ...['created', 'already-exists', 'parent-inactive', 'version-mismatch', 'cursor-moved'].map(toldAs),
];

/** Enters what kind of window it was. */
export function recordWindow(bench: Bench, { call, window, expected }: Played): void {
  const { slots } = window;
  const { outcomes } = expected;
  const taken = outcomes.map((outcome) => outcome === 'already-exists');
  const count = taken.filter(Boolean).length;
  const seen = (evidence: string, is: boolean) => is && bench.record(evidence, 1);
  seen('windows without a conflict', slots.length > 0 && outcomes.every((outcome) => typeof outcome === 'object'));
  seen('windows that are taken whole', count > 0 && count === slots.length);
  seen('first slots taken', taken[0] === true);
  seen('middle slots taken', taken.slice(1, -1).includes(true));
  seen('last slots taken', taken.at(-1) === true);
  seen('windows with twins', new Set(slots.map(({ at }) => at)).size < slots.length && count > 0);
  seen('ends of a grid', expected.cursor === null && count + created(outcomes) > 0);
  seen('run counts that reach their maximum', expected.runs === mostRuns && created(outcomes) > 0);
  seen(atLevel(call.level), slots.length > 0);
  for (const outcome of outcomes) bench.record(toldAs(typeof outcome === 'object' ? 'created' : outcome), 1);
}

function atLevel(level: string): string {
  return level === '' ? 'windows at an empty level' : `windows at level ${level}`;
}

function created(outcomes: Played['expected']['outcomes']): number {
  return outcomes.filter((outcome) => typeof outcome === 'object').length;
}

function toldAs(outcome: string): string {
  return `slots that are ${outcome}`;
}
