import { type Guard, guard, Vacuous, Violation } from '../../kernel/guard.ts';
import { advanceOutcome } from '../calls.ts';
import { givenInstant } from '../instants.ts';
import type { SlotLoss, Window } from '../port.ts';
import { gridInstant } from '../slots.ts';
import { inactive } from './inactive.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustTellAll,
  type Scene,
  setScene,
  slotsFor,
  windowOf,
} from './scene.ts';
import { storedOf } from './stored.ts';

/** What a call can lose by, in the order in which it is told. */
const reasons = ['parent', 'version', 'cursor', 'slot'] as const;
type Reason = (typeof reasons)[number];

const lossBy = {
  parent: 'parent-inactive',
  version: 'version-mismatch',
  cursor: 'cursor-moved',
  slot: 'already-exists',
} as const satisfies Record<Reason, SlotLoss>;

export const precedenceIsFixed: Guard = guard({
  id: 'materialize-window/precedence-is-fixed',
  statement: 'Where several reasons to lose hold at once, the first of parent, version, cursor and slot is told.',
  proves: ['reasons found to hold at once', 'calls that had to lose'],
  async check(bench) {
    const pairs = reasons.flatMap((first, i) => reasons.slice(i + 1).map((second): Reason[] => [first, second]));
    for (const held of [...pairs, [...reasons]]) {
      await bench.case(held.join('-and-'), async () => {
        const rig = await bench.open();
        for (const parent of held.includes('parent') ? Object.values(inactive) : [{}]) {
          const taken = held.includes('slot') ? [0] : [];
          const scene = await setScene(bench, { rig, taken, schedule: parent });
          const window = await asked(scene, held);
          bench.record('reasons found to hold at once', held.length);
          for (const member of members) await mustLoseBy(scene, member, window, held);
          if (!held.includes('slot')) await mustNotAdvance(scene, window, held);
        }
      });
    }
  },
});

/** A window for which exactly these reasons hold, by what the probe shows before the call. */
async function asked(scene: Scene, held: readonly Reason[]): Promise<Window> {
  const { bench, schedule, slots } = scene;
  const window = windowOf(scene);
  if (held.includes('version')) window.expectedVersion = schedule.version + 1;
  if (held.includes('cursor')) window.expectedCursor = gridInstant(0);
  const instant = (text: string) => givenInstant(text, bench.declaration.timeResolution);
  const stored = await storedOf(scene);
  const { status, cursor, version } = stored.schedule;
  const { expectedCursor } = window;
  const holds: Record<Reason, boolean> = {
    parent: status !== 'active' || cursor === null,
    version: version !== window.expectedVersion,
    cursor: cursor !== (expectedCursor === null ? null : instant(expectedCursor)),
    slot: stored.children.some(({ slotAt }) => slotAt === instant(slots[0]!.at)),
  };
  const wrong = reasons.find((reason) => holds[reason] !== held.includes(reason));
  if (wrong) throw new Vacuous(`the reason ${wrong} ${holds[wrong] ? 'holds' : 'does not hold'} before the call`);
  return window;
}

async function mustLoseBy(scene: Scene, member: Member, window: Window, held: readonly Reason[]): Promise<void> {
  const { outcomes } = await materialized(scene, member, window);
  const slots = slotsFor(member, window);
  mustTellAll(slots, outcomes, lossBy[held[0]!], `${byMember[member]} ${against(scene, window, held)}`);
  scene.bench.record('calls that had to lose', 1);
}

async function mustNotAdvance(scene: Scene, { slots, ...expected }: Window, held: readonly Reason[]): Promise<void> {
  const told = await advanceOutcome(scene.rig, { ...expected, next: slots[0]!.next });
  const right = lossBy[held[0]!];
  if (told !== right) throw new Violation(`advance ${against(scene, expected, held)}: told ${told}, expected ${right}`);
  scene.bench.record('calls that had to lose', 1);
}

function against(
  { schedule: { status, cursor, version } }: Scene,
  { expectedVersion, expectedCursor }: Omit<Window, 'slots'>,
  held: readonly Reason[],
): string {
  const stored = `${status}, version ${version}, cursor ${cursor}`;
  const taken = held.includes('slot') ? ', with its first slot taken' : '';
  return `of a schedule (${stored}) that expects version ${expectedVersion} and cursor ${expectedCursor}${taken}`;
}
