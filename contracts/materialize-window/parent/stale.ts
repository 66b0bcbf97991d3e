import { type Guard, guard, Violation } from '../../kernel/guard.ts';
import type { Expected, SlotLoss } from '../port.ts';
import { gridInstant, slots } from '../slots.ts';
import {
  byMember,
  type Member,
  materialized,
  members,
  mustBeServed,
  mustTellAll,
  type Scene,
  setScene,
  slotsFor,
  windowOf,
} from './scene.ts';
import { mustWriteNothing, storedOf } from './stored.ts';

/** Levels at which a call that loses may be tempted to leave an audit row. */
const levels = ['full', 'errors-only'];

export const staleVersionWritesNothing: Guard = guard({
  id: 'materialize-window/stale-version-writes-nothing',
  statement:
    'A caller who expects another version is told version-mismatch for every slot, and nothing is written; and no call changes the version.',
  proves: ['stale calls', 'calls by who knows the version'],
  async check(bench) {
    const stale: Record<string, (version: number) => number> = {
      'one-before': (version) => version - 1,
      'one-after': (version) => version + 1,
      zero: () => 0,
      'the-largest': () => 2_147_483_647,
    };
    for (const member of members) {
      for (const [name, other] of Object.entries(stale)) {
        await bench.case(`${member}-${name}`, async () => {
          const scene = await setScene(bench);
          const { version } = scene.schedule;
          const expectedVersion = other(version);
          const what = `${byMember[member]} that expects version ${expectedVersion} of a schedule at version ${version}`;
          await mustLose(scene, member, { expectedVersion }, 'version-mismatch', what);
          await mustBeServed(scene, member);
          bench.record('calls by who knows the version', 1);
          const found = (await storedOf(scene)).schedule.version;
          if (found !== version)
            throw new Violation(
              `${byMember[member]} left the schedule at version ${found}, expected ${version} as before`,
            );
        });
      }
    }
  },
});

export const staleCursorWritesNothing: Guard = guard({
  id: 'materialize-window/stale-cursor-writes-nothing',
  statement:
    'A caller who expects another cursor, or none where there is one, is told cursor-moved for every slot, and nothing is written.',
  proves: ['stale calls', 'calls by who knows the cursor'],
  async check(bench) {
    const stale: Record<string, (first: string) => { stored: string; expected: string | null }> = {
      'a-minute-before': (first) => ({ stored: first, expected: minuteBefore(first) }),
      'long-before': (first) => ({ stored: first, expected: gridInstant(0) }),
      later: (first) => ({ stored: gridInstant(0), expected: first }),
      none: (first) => ({ stored: first, expected: null }),
    };
    for (const member of members) {
      for (const [name, cursors] of Object.entries(stale)) {
        await bench.case(`${member}-${name}`, async () => {
          const grid = slots(bench, 5);
          const { stored, expected: expectedCursor } = cursors(grid[0]!.at);
          const scene = await setScene(bench, { slots: grid, schedule: { cursor: stored } });
          const what = `${byMember[member]} that expects the cursor ${expectedCursor} of a schedule at ${stored}`;
          await mustLose(scene, member, { expectedCursor }, 'cursor-moved', what);
          await mustBeServed(scene, member);
          bench.record('calls by who knows the cursor', 1);
        });
      }
    }
  },
});

/** Fails the guard unless a call with another expectation loses every slot for this reason, and writes nothing. */
async function mustLose(
  scene: Scene,
  member: Member,
  expectation: Partial<Expected>,
  loss: SlotLoss,
  what: string,
): Promise<void> {
  for (const auditLevel of levels) {
    const window = { ...windowOf(scene), ...expectation, auditLevel };
    const asked = slotsFor(member, window);
    const { outcomes } = await mustWriteNothing(scene, what, () => materialized(scene, member, window), asked);
    mustTellAll(asked, outcomes, loss, what);
    scene.bench.record('stale calls', 1);
  }
}

function minuteBefore(instant: string): string {
  return new Date(Date.parse(instant) - 60_000).toISOString();
}
