import { mustAgree, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { sameJson } from '../../kernel/print.ts';
import { tablesWritten } from '../../kernel/tables.ts';
import { type Difference, failureOf } from '../../kernel/writes.ts';
import { type Left, leftBy, mustHaveLeft, type Sent } from '../left.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { fullyKeyed, underTheKeysOf, withOtherBodies } from './keyed.ts';

/** Messages whose keys are taken. */
const several = 3;

/**
 * Where nothing is replaced: messages whose keys are taken, with other values in every option, leave the rows that have
 * the keys as they were, in every field and in the status table, and add no row to any table. Whether they are told as
 * duplicates or refused is for others to judge.
 */
export async function mustLeaveTheRows(bench: Bench): Promise<void> {
  const most = bench.declaration.limits.maxItems ?? 2 * several;
  const count = Math.min(several, most);
  const [holders, others, fresh] = thirds(fullyKeyed(bench, 3 * count));
  const addedByFresh = await tablesWritten(bench, w, fresh);
  const rig = await bench.open();
  const held = await sentWhole(rig, holders);
  const again = underTheKeysOf(holders, others);
  const withTheirBodies = again.map((message, slot) => ({ ...message, body: holders[slot]!.body }));
  await mustChangeNothing(bench, rig, held, { batch: withTheirBodies, how: '', added: {} });
  if (2 * count > most) return;
  const beside = withOtherBodies(bench, again).flatMap((message, slot) => [message, fresh[slot]!]);
  await mustChangeNothing(bench, rig, held, { batch: beside, how: ', beside new ones', added: addedByFresh });
}

interface Again {
  batch: readonly Message[];
  how: string;
  /** The most rows that the batch may add, by table. */
  added: Record<string, number>;
}

async function mustChangeNothing(bench: Bench, rig: Rig, held: Sent, { batch, how, added }: Again): Promise<void> {
  const look = async () => leftBy(bench, rig, await rig.lease.snapshot(), [held], 'messages that have their keys');
  const before = await look();
  const snapshot = await rig.lease.snapshot();
  await w.write(rig, batch);
  const what = `messages whose keys were sent again with other values in every option${how}`;
  const after = await leftBy(bench, rig, snapshot, [held], what);
  mustAgree(w, held.batch, changes(before, after), what, 'as they were');
  const more = Object.entries(after.tables).find(([table, rows]) => rows > (added[table] ?? 0));
  if (more !== undefined) {
    const [table, rows] = more;
    throw new Violation(`${what}: ${table} has got ${rows} rows; without them it gets ${added[table] ?? 0}`);
  }
  bench.record('rows that have the keys compared', held.batch.length);
}

function changes(before: Left, after: Left): Difference[][] {
  const values = ({ rows, statuses }: Left, slot: number): Record<string, unknown> => ({
    id: rows[slot]!.row.id,
    ...rows[slot]!.row.fields,
    'status row': statuses[slot],
  });
  return before.rows.map((_, slot) => {
    const [expected, found] = [values(before, slot), values(after, slot)];
    return Object.keys(expected)
      .filter((field) => !sameJson(expected[field], found[field]))
      .map((field) => ({ field, expected: expected[field], found: found[field] }));
  });
}

/**
 * Where nothing is replaced: of messages with one key in one batch, with the same body and other values in every
 * option, the first is stored as if the later ones were not there.
 */
export async function mustStoreTheFirst(bench: Bench): Promise<void> {
  const count = Math.min(several, Math.floor((bench.declaration.limits.maxItems ?? 2 * several) / 2));
  const [firsts, others] = thirds(fullyKeyed(bench, 3 * count));
  const twins = underTheKeysOf(firsts, others).map((message, slot) => ({ ...message, body: firsts[slot]!.body }));
  const alone = await bench.open();
  const empty = await alone.lease.snapshot();
  const expected = await leftBy(bench, alone, empty, [await sentWhole(alone, firsts)], 'messages with keys');
  const rig = await bench.open();
  const before = await rig.lease.snapshot();
  const by = await w.write(rig, [...firsts, ...twins]);
  // How twins are told, and whether they may fail the batch, is for others to judge.
  if (failureOf(by)) return;
  const what = 'messages behind which others with their keys stand in the batch, with other values in every option';
  const found = await leftBy(bench, rig, before, [{ batch: firsts, by }], what);
  await mustHaveLeft(bench, found, expected, what, 'without those others');
  bench.record('rows that have the keys compared', count);
}

async function sentWhole(rig: Rig, batch: readonly Message[]): Promise<Sent> {
  const by = await w.write(rig, batch);
  await premise('the batch that takes the keys', () => mustSucceed(w, batch, by, 'it'));
  return { batch, by };
}

function thirds(messages: readonly Message[]): [Message[], Message[], Message[]] {
  const third = messages.length / 3;
  return [messages.slice(0, third), messages.slice(third, 2 * third), messages.slice(2 * third)];
}
