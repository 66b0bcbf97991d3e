import { type Bench, type Guard, guard, type Rig, Violation, type World } from '../../kernel/guard.ts';
import { advanceOutcome } from '../calls.ts';
import { givenInstant, type Instant, instantText, milliseconds } from '../instants.ts';
import type { Stamp } from '../model.ts';
import { byMember, type Member, materialized, members, setScene, windowOf } from '../parent/scene.ts';
import { readState } from '../state.ts';
import { expecting } from '../writes.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** The caller's clock: years from that of the judge, of the subject's process and of any engine. */
const now = '2019-04-05T06:07:08.000Z';

/** By how much the clock of the subject's process is ahead of the engine's. */
const worlds: Record<string, World | undefined> = {
  'process-on-time': undefined,
  'process-ahead': { clockShift: day },
};

/** A server that somebody else runs may be a little off; no other clock here is so near to it. */
const near = hour;

export const clockIsTheDeclaredOne: Guard = guard({
  id: 'materialize-window/clock-is-the-declared-one',
  statement:
    "A child's createdAt, the schedule's lastRunAt when it is completed and the audit's createdAt are the caller's now, or the time of the database, as declared, whatever the clock of the process says.",
  needsThread: true,
  proves: ['stamps compared', 'clock of the process ahead by (ms)'],
  async check(bench) {
    for (const [name, world] of Object.entries(worlds)) {
      for (const member of [...members, 'advance'] as const) {
        await bench.case(`${member}-${name}`, async () => {
          const rig = await bench.open(world && { world });
          for (const [field, stamp] of await stampsBy(bench, rig, member)) mustBeDeclared(bench, member, field, stamp);
          if (world) bench.record('clock of the process ahead by (ms)', String(world.clockShift));
        });
      }
    }
  },
});

type Stamps = [field: string, stamp: Stamp | undefined][];

/** Everything that a call stamps which completes its schedule. */
async function stampsBy(bench: Bench, rig: Rig, member: Member | 'advance'): Promise<Stamps> {
  const scene = await setScene(bench, { rig, slots: member === 'bulk' ? 3 : 1, ends: true });
  const { schedule } = scene;
  if (member === 'advance') {
    const outcome = await advanceOutcome(rig, { ...expecting(schedule), now, next: null });
    if (outcome !== 'advanced') throw new Violation(`advance of a schedule that stands as expected told ${outcome}`);
  } else {
    const { outcomes } = await materialized(scene, member, { ...windowOf(scene), now });
    const lost = outcomes.find((outcome) => typeof outcome !== 'object');
    if (lost !== undefined) throw new Violation(`${byMember[member]} with free slots told ${String(lost)}`);
  }
  const { schedules, children, audits } = await readState(bench, rig);
  const own = children.filter((child) => child.schedule === schedule.id);
  const audit = audits?.filter((row) => row.schedule === schedule.id) ?? [];
  return [
    ["the schedule's lastRunAt", schedules.find(({ id }) => id === schedule.id)?.lastRunAt[0]],
    // What the rows do not show is not compared.
    ...own.flatMap(({ createdAt }): Stamps => (createdAt === undefined ? [] : [["a child's createdAt", createdAt]])),
    ...audit.map(({ event, createdAt }): Stamps[number] => [`createdAt of the audit's "${event}"`, createdAt]),
  ];
}

function mustBeDeclared(bench: Bench, member: Member | 'advance', field: string, stamp: Stamp | undefined): void {
  const { clock, timeResolution } = bench.declaration;
  bench.record('stamps compared', 1);
  const right = clock === 'caller' ? givenInstant(now, timeResolution) : BigInt(Date.now()) * 1000n;
  const off = clock === 'caller' ? 0n : milliseconds(near);
  if (typeof stamp === 'bigint' && distance(stamp, right) <= off) return;
  const found = typeof stamp === 'bigint' ? instantText(stamp) : 'null';
  const whose = clock === 'caller' ? "the caller's now" : 'the time of the database';
  const what = member === 'advance' ? 'an advance' : byMember[member];
  throw new Violation(
    `the clock is declared to be the ${clock}'s; after ${what}, ${field} is ${found}, expected ${whose}, ${instantText(right)}`,
  );
}

function distance(a: Instant, b: Instant): bigint {
  return a > b ? a - b : b - a;
}
