import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { rowAt, severalChunks } from '../../kernel/tables.ts';
import { grown } from '../../kernel/writes.ts';
import { materialize, materializeWindow } from '../calls.ts';
import { sentText, stampText } from '../differences.ts';
import { givenInstant } from '../instants.ts';
import { byMember, type Member, materialized, members, type Scene, setScene, windowOf } from './scene.ts';
import { storedOf } from './stored.ts';

export const cursorNeverPassesAnUnwrittenSlot: Guard = guard({
  id: 'materialize-window/cursor-never-passes-an-unwritten-slot',
  statement:
    'Each slot of a window that is before the cursor has a child, also when the engine has failed the call; and the cursor never moves back.',
  needs: ['rowFault'],
  proves: ['slots passed', 'conflicts', 'faults raised'],
  async check(bench) {
    const size = severalChunks(bench);
    const every = Array.from({ length: size }, (_, slot) => slot);
    const windows = {
      none: [],
      first: [0],
      middle: [Math.floor(size / 2)],
      last: [size - 1],
      'every-eighth': every.filter((slot) => slot % 8 === 1),
    };
    for (const [name, taken] of Object.entries(windows)) {
      for (const ends of [false, true]) {
        await bench.case(`bulk-${name}-taken${ends ? '-to-the-end' : ''}`, async () => {
          const scene = await setScene(bench, { slots: size, taken, ends });
          await materialized(scene, 'bulk', windowOf(scene));
          const what = `a window with ${taken.length} of ${count(size, 'slots')} taken`;
          bench.record('slots passed', await mustHavePassedWritten(scene, what));
          if (taken.length > 0) bench.record('conflicts', taken.length);
        });
      }
    }
    for (const taken of [[], [0]]) {
      await bench.case(`single-${taken.length > 0 ? 'taken' : 'free'}`, async () => {
        const scene = await setScene(bench, { taken });
        await materialized(scene, 'single', windowOf(scene));
        await mustHavePassedWritten(scene, `a single slot that is ${taken.length > 0 ? 'taken' : 'free'}`);
      });
    }
    for (const member of members) {
      for (const ends of [false, true]) {
        await bench.case(`${member}-refused-by-the-engine${ends ? '-before-the-end' : ''}`, async () => {
          await mustEndureFaults(bench, member, member === 'bulk' ? size : 1, ends);
        });
      }
    }
  },
});

/** The engine refuses a row of each table that a call adds rows to: the first, one in the middle and the last. */
async function mustEndureFaults(bench: Bench, member: Member, size: number, ends: boolean): Promise<void> {
  const rig = await bench.open();
  const first = await setScene(bench, { rig, slots: size, ends });
  const before = await rig.lease.snapshot();
  await materialized(first, member, windowOf(first));
  const tables = grown(before, await rig.lease.snapshot());
  for (const [table, rows] of Object.entries(tables)) {
    for (const slot of new Set([0, Math.floor(size / 2), size - 1])) {
      const scene = await setScene(bench, { rig, slots: size, ends });
      const nth = rowAt(slot, size, rows);
      const armed = await rig.lease.arm({ at: 'row', table, nth, kind: rig.lease.rowFaults[0]! });
      await attempted(scene, member);
      bench.record('faults raised', (await armed.sprung()).raised);
      await armed.disarm();
      const what = `${byMember[member]} of ${count(size, 'slots')} whose row ${nth} in ${table} the engine refused`;
      await mustHavePassedWritten(scene, what);
    }
  }
}

/** Makes the call, however it ends. */
async function attempted(scene: Scene, member: Member): Promise<void> {
  const { slots, ...expected } = windowOf(scene);
  if (member === 'bulk') await materializeWindow(scene.bench, scene.rig, { ...expected, slots });
  else await materialize(scene.rig, { ...expected, slot: slots[0]! });
}

/** Fails the guard unless each slot before the cursor has a child; resolves to how many there are. */
async function mustHavePassedWritten(scene: Scene, what: string): Promise<number> {
  const { bench, schedule, slots } = scene;
  const instant = (text: string) => givenInstant(text, bench.declaration.timeResolution);
  const { schedule: stored, children } = await storedOf(scene);
  const { cursor } = stored;
  if (cursor !== null && cursor < instant(schedule.cursor!))
    throw new Violation(`${what}: the schedule's cursor moved back, from ${schedule.cursor} to ${stampText(cursor)}`);
  const written = new Set(children.map(({ slotAt }) => slotAt));
  const lines = slots.map((slot, i): SlotLine => {
    const at = instant(slot.at);
    const isPassed = cursor === null || at < cursor;
    const isWritten = written.has(at);
    return {
      slot: i,
      mark: isPassed && !isWritten ? 'lost' : 'ok',
      sent: sentText(slot),
      expected: isPassed ? 'a child, as the cursor is past it' : 'anything, as the cursor is not past it',
      stored: isWritten ? 'a child' : 'no child',
    };
  });
  const lost = lines.filter(({ mark }) => mark === 'lost');
  if (lost.length > 0) {
    const where = cursor === null ? 'null, past every slot' : stampText(cursor);
    throw new Violation(
      `${what}: the schedule's cursor is ${where}, yet ${count(lost.length, 'slots')} before it have no child; first slot ${lost[0]!.slot}`,
      { input: what, slots: lines },
    );
  }
  return slots.filter(({ at }) => cursor === null || instant(at) < cursor).length;
}
