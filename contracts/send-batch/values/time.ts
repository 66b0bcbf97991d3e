import { tokenIn } from '../../kernel/bodies.ts';
import { mustBeExact, mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { isInstant } from '../../kernel/rows.ts';
import type { StoredItem, Written } from '../../kernel/writes.ts';
import { messages, offeredOptions } from '../messages.ts';
import type { Message } from '../port.ts';
import { bodyOf, receive } from '../reads/receiving.ts';
import { sendWrites as w } from '../writes.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** As many as there are in any batch here. */
const fewMessages = 12;
/** Zones with an offset that is no whole number of hours, and with a change of the clock in summer. */
const oddZone = 'Asia/Kathmandu';
const changingZone = 'America/St_Johns';

export const timeIsExact: Guard = guard({
  id: 'send-batch/time-is-exact',
  statement:
    'A delay or an expiration is kept to the declared resolution, in any time zone, over a change of the clock, beyond 24.8 days; nothing is received before it is due.',
  proves: ['instants compared'],
  async check(bench) {
    const timed = offeredOptions(bench).filter((option) => option === 'delay' || option === 'expiration');
    if (timed.length === 0) throw new NotApplicable('backend', 'neither delay nor expiration is offered');
    const send = async (rig: Rig, delays: number[], what: string) => {
      const batch = withDelays(bench, timed, delays);
      const written = await w.write(rig, batch);
      mustSucceed(w, batch, written, what);
      mustBeExact(bench, w, batch, await mustHaveStoredAll(bench, w, rig, batch, what), written, what);
      bench.record('instants compared', batch.length * timed.length);
    };
    const ordinary = Array.from({ length: fewMessages }, (_, slot) => (slot + 1) * 1000);
    await premise('a batch with delays of whole seconds', async () =>
      send(await bench.open(), ordinary, 'delays of whole seconds'),
    );
    const odd = [1, 999, 1001, 61_234, 86_399_999];
    const beyond = [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 123_456, 400 * day + 7];
    await bench.case('milliseconds', async () => send(await bench.open(), odd, 'delays of odd milliseconds'));
    await bench.case('beyond-24-days', async () => send(await bench.open(), beyond, 'delays beyond 2^31 ms'));
    if (bench.declaration.extras.includes('fifo') && timed.includes('delay')) {
      await bench.case('received-when-due', () => mustBeReceivedWhenDue(bench));
    }
    await inZones(bench, (rig, what) => send(rig, [...odd, ...overTheNextChanges(changingZone)], what));
  },
});

/** Of messages of which some are due in an hour, none of those is handed out now. */
async function mustBeReceivedWhenDue(bench: Bench): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, fewMessages, 'bare').map((message, slot) =>
    slot % 2 === 0 ? { ...message, delay: hour } : message,
  );
  await premise('a batch of which half is due later', async () =>
    mustSucceed(w, batch, await w.write(rig, batch), 'it'),
  );
  const received = (await receive(rig, batch.length)).map((message) => tokenIn(bodyOf(message)));
  const slots = batch.map((message, slot): SlotLine => {
    const came = received.includes(w.token(message));
    const early = came && message.delay !== undefined;
    const expected = message.delay === undefined ? 'received, or not yet' : 'not received within an hour';
    const stored = came ? 'received' : 'not received';
    return { slot, mark: early ? 'wrong' : 'ok', sent: w.print(message), expected, stored };
  });
  const early = slots.filter(({ mark }) => mark === 'wrong').length;
  if (early > 0) {
    throw new Violation(`receive hands out ${count(early, 'messages')} at once that are due in an hour`, {
      input: `${count(batch.length, 'messages')}, every second of them due in an hour`,
      slots,
    });
  }
  bench.record('messages not handed out early', batch.length / 2);
}

function withDelays(bench: Bench, timed: ('delay' | 'expiration')[], delays: number[]): Message[] {
  return messages(bench, delays.length, 'bare').map((message, slot) => {
    for (const option of timed)
      Object.assign(message, { [option]: delays[slot]! + (option === 'expiration' ? day : 0) });
    return message;
  });
}

/** Delays that end a little before and after the next two changes of a zone's clock. */
function overTheNextChanges(zone: string): number[] {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  const offset = (time: number) => format.formatToParts(time).at(-1)!.value;
  const now = Date.now();
  const delays: number[] = [];
  for (let days = 1; days < 366 && delays.length < 4; days++) {
    const before = now + (days - 1) * day;
    if (offset(before) === offset(before + day)) continue;
    let ahead = (days - 1) * day + hour;
    while (offset(now + ahead) === offset(before)) ahead += hour;
    delays.push(ahead - 90 * 60_000 + 1, ahead + 90 * 60_000 + 1);
  }
  return delays;
}

export const clockIsTheDeclaredOne: Guard = guard({
  id: 'send-batch/clock-is-the-declared-one',
  statement:
    "With the process's clock moved by an hour, the stored instants move with a caller's clock and stand still with the engine's, in a batch and in a single send alike; no time zone moves them.",
  needsThread: true,
  proves: ['instants compared'],
  async check(bench) {
    for (const path of paths) {
      await bench.case(path, async () => {
        const here = await instantsBy(bench, path, await bench.open());
        const moved = await instantsBy(bench, path, await bench.open({ world: { clockShift: hour } }));
        if (Object.keys(here.offsets).length === 0)
          throw new NotApplicable('backend', 'its rows show no instant (a column whose name ends in At)');
        const expected = bench.declaration.clock === 'caller' ? hour : 0;
        for (const [field, offset] of Object.entries(here.offsets)) {
          const shift = moved.offsets[field]! - offset;
          bench.record('instants compared', 1);
          if (Math.abs(shift - expected) <= here.slack + moved.slack) continue;
          const whose = bench.declaration.clock === 'caller' ? "the caller's" : "the engine's";
          throw new Violation(
            `the clock is declared to be ${whose}; with the process's clock an hour ahead, ${field} of a ${path} ` +
              `${shift > hour / 2 ? 'moved with it' : 'stood still'} (by ${(shift / 1000).toFixed(1)} s)`,
          );
        }
      });
    }
    bench.record('clock moved by (ms)', hour);
    await inZones(bench, async (rig, what) => {
      for (const path of paths) await mustIgnoreTheZone(bench, path, rig, what);
    });
  },
});

const paths = ['batch', 'single'] as const;
type Path = (typeof paths)[number];

/** The instants that are stored in another zone lie as far from their call as in this one. */
async function mustIgnoreTheZone(bench: Bench, path: Path, rig: Rig, what: string): Promise<void> {
  const here = await instantsBy(bench, path, await bench.open());
  const there = await instantsBy(bench, path, rig);
  for (const [field, offset] of Object.entries(here.offsets)) {
    const shift = there.offsets[field]! - offset;
    bench.record('instants compared', 1);
    if (Math.abs(shift) <= here.slack + there.slack) continue;
    throw new Violation(
      `${what}: ${field} of a ${path} is ${(shift / hour).toFixed(2)} hours from where it is without that zone`,
    );
  }
}

/** Runs a case with a subject whose process is in another time zone, and one with a session in another, where there are. */
async function inZones(bench: Bench, body: (rig: Rig, what: string) => Promise<void>): Promise<void> {
  const { ownProcess, sessionZone } = bench.facts.lacks;
  if (ownProcess === undefined) {
    await bench.case('process-in-another-zone', async () => {
      await body(await bench.open({ world: { zone: changingZone } }), `a process in ${changingZone}`);
      bench.record('zone of the process', changingZone);
    });
  }
  bench.leaveOut('process-in-another-zone', ownProcess);
  if (sessionZone === undefined) {
    await bench.case('session-in-another-zone', async () => {
      const lease = await bench.lease();
      await lease.arm({ at: 'session', zone: oddZone });
      await body(await bench.open({ lease }), `a session in ${oddZone}`);
      bench.record('zone of the session', oddZone);
    });
  }
  bench.leaveOut('session-in-another-zone', sessionZone);
}

/** The instants of a row, counted from the start of the call that wrote it. */
async function instantsBy(
  bench: Bench,
  path: Path,
  rig: Rig,
): Promise<{ offsets: Record<string, number>; slack: number }> {
  const batch = messages(bench, path === 'batch' ? 3 : 1);
  const written = path === 'batch' ? await w.write(rig, batch) : await w.writeOne(rig, batch[0]!);
  mustSucceed(w, batch, written, `a ${path}`);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, `a ${path}`);
  return {
    offsets: offsets(rows[0]!, written, batch[0]!),
    slack: written.settledAt - written.startedAt + 2 * bench.declaration.timeResolution,
  };
}

function offsets(row: StoredItem, written: Written, message: Message): Record<string, number> {
  const asked: Record<string, number | undefined> = { dueAt: message.delay, expiresAt: message.expiration };
  return Object.fromEntries(
    Object.entries(row.fields)
      .filter((entry): entry is [string, number] => isInstant(entry[0]) && typeof entry[1] === 'number')
      .map(([field, value]) => [field, value - written.startedAt - (asked[field] ?? 0)]),
  );
}
