import { type Guard, guard, Vacuous, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { byMember, type Member, materialized, members, type Scene, setScene, windowOf } from './scene.ts';
import { storedOf } from './stored.ts';

/** The largest run count. */
const mostRuns = 2_147_483_647;

export const conflictSpendsNoRun: Guard = guard({
  id: 'materialize-window/conflict-spends-no-run',
  statement: 'The run count grows by the number of children that were created; a slot that is taken spends none.',
  proves: ['slots taken', 'children created'],
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
      await bench.case(`bulk-${name}-taken`, async () => {
        const scene = await setScene(bench, { slots: size, taken });
        const what = `a window with ${taken.length} of ${count(size, 'slots')} taken`;
        bench.record('children created', await mustCount(scene, 'bulk', what));
        if (taken.length > 0) bench.record('slots taken', taken.length);
      });
    }
    await bench.case('bulk-all-taken', async () => {
      const scene = await setScene(bench, { taken: [0, 1, 2, 3, 4] });
      await mustCount(scene, 'bulk', 'a window whose slots are all taken');
      bench.record('slots taken', 5);
    });
    await bench.case('single-free', async () => {
      const scene = await setScene(bench);
      bench.record('children created', await mustCount(scene, 'single', 'a single slot that is free'));
    });
    await bench.case('single-taken', async () => {
      const scene = await setScene(bench, { taken: [0] });
      await mustCount(scene, 'single', 'a single slot that is taken');
      bench.record('slots taken', 1);
    });
  },
});

export const runCountSaturates: Guard = guard({
  id: 'materialize-window/run-count-saturates',
  statement: 'The run count stays at 2,147,483,647 once it is there; the slots are created all the same.',
  proves: ['counts that reached the most', 'children created'],
  async check(bench) {
    for (const member of members) {
      const size = member === 'bulk' ? 5 : 1;
      for (const left of [0, 1, size - 1, size, size + 1].filter((n, i, all) => n >= 0 && all.indexOf(n) === i)) {
        await bench.case(`${member}-${left}-below-the-most`, async () => {
          const scene = await setScene(bench, { slots: size, schedule: { runs: mostRuns - left } });
          const what = `${count(size, 'slots')} of a schedule with ${mostRuns - left} runs`;
          const created = await mustCount(scene, member, what);
          bench.record('children created', created);
          if (left <= created) bench.record('counts that reached the most', 1);
        });
      }
    }
  },
});

export const nullRunCountCountsAsZero: Guard = guard({
  id: 'materialize-window/null-run-count-counts-as-zero',
  statement: 'A run count that is null counts as 0 for the children that are created, and stays null where none is.',
  proves: ['null counts found stored', 'children created'],
  async check(bench) {
    for (const member of members) {
      for (const [name, taken] of Object.entries({ free: [], 'all-taken': [0, 1, 2] })) {
        await bench.case(`${member}-${name}`, async () => {
          const scene = await setScene(bench, { slots: 3, taken, schedule: { runs: null } });
          bench.record('null counts found stored', 1);
          const what = `${byMember[member]} of a schedule whose run count is null`;
          const created = await mustCount(scene, member, what);
          if (taken.length === 0) bench.record('children created', created);
        });
      }
    }
  },
});

/**
 * Fails the guard unless the run count, stored and told, is what the children that were created make of it. Resolves to
 * their number, as the probe sees it.
 */
async function mustCount(scene: Scene, member: Member, what: string): Promise<number> {
  const before = await storedOf(scene);
  const { runs } = before.schedule;
  if (runs !== scene.schedule.runs)
    throw new Vacuous(`the schedule was put with ${scene.schedule.runs} runs, and ${runs} are stored`);
  const told = await materialized(scene, member, windowOf(scene));
  const after = await storedOf(scene);
  const created = after.children.length - before.children.length;
  const expected = created === 0 ? runs : Math.min(mostRuns, (runs ?? 0) + created);
  const sum = `${runs} before, ${created} created`;
  if (after.schedule.runs !== expected)
    throw new Violation(`${what}: the schedule's runs are ${after.schedule.runs}, expected ${expected} (${sum})`);
  if (told.runs !== expected)
    throw new Violation(`${what}: the runs are told as ${told.runs}, expected ${expected} (${sum})`);
  return created;
}
