import { setTimeout } from 'node:timers/promises';
import { tokenIn } from '../../kernel/bodies.ts';
import { mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { isInstant } from '../../kernel/rows.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { StoredItem } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { bodyOf, receive } from './receiving.ts';

/** From as many on, numbers that are sorted as text are out of order. */
const telling = 11;

export const equalTimesStayInOrder: Guard = guard({
  id: 'send-batch/equal-times-stay-in-order',
  level: 'should',
  statement: 'Messages that were sent at one time are received in the order in which they were sent.',
  needs: ['fifo'],
  needsThread: true,
  proves: ['messages received', 'messages of one time'],
  async check(bench) {
    // Where the caller dates the messages, his clock can be held still: at an instant that is stored as it is.
    const { clock, timeResolution } = bench.declaration;
    const still =
      clock === 'caller'
        ? { world: { clockStandsAt: Math.ceil(Date.now() / timeResolution) * timeResolution } }
        : undefined;
    let ofOneTime = 0;
    const inOrder = async (batches: Message[][], what: string) => {
      const rig = await bench.open(still);
      const sent = batches.flat();
      for (const batch of batches) {
        const written = batch.length === 1 ? await w.writeOne(rig, batch[0]!) : await w.write(rig, batch);
        mustSucceed(w, batch, written, what);
      }
      const rows = await mustHaveStoredAll(bench, w, rig, sent, what);
      ofOneTime = Math.max(ofOneTime, still ? sent.length : mostOfOneTime(rows));
      // An instant that is rounded up comes a step of the engine's clock later at most.
      if (!still && timeResolution > 1) await setTimeout(timeResolution);
      mustBeInOrder(sent, await receiveAll(rig, sent.length), what);
      bench.record('messages received', sent.length);
    };
    // Nothing but the order of sending tells them apart.
    const bare = (size: number) => messages(bench, size, 'bare');
    await bench.case('one-batch', () => inOrder([bare(severalChunks(bench))], 'a batch'));
    await bench.case('batches-and-singles', () =>
      inOrder([bare(telling), bare(1), bare(telling), bare(1), bare(2 * telling)], 'batches with single sends between'),
    );
    if (ofOneTime < telling) {
      throw new NotApplicable(
        'backend',
        `its rows show no ${telling} messages with one time (a column that ends in At)`,
      );
    }
    bench.record('messages of one time', ofOneTime);
    bench.record('clock of the subject', still ? 'held still' : "the engine's own");
  },
});

/** The most rows that have the same instant in the same field. */
function mostOfOneTime(rows: readonly StoredItem[]): number {
  const instants = rows.flatMap(({ fields }) =>
    Object.entries(fields).filter(([field, value]) => isInstant(field) && value !== null),
  );
  const groups = Object.values(Object.groupBy(instants, (instant) => JSON.stringify(instant)));
  return Math.max(0, ...groups.map((group) => group!.length));
}

/** Receives one message, then all the others at once, then what may be left. */
async function receiveAll(rig: Rig, count: number): Promise<unknown[]> {
  const received: unknown[] = [];
  for (const most of [1, count - 1, count]) {
    if (most === 0) continue;
    received.push(...(await receive(rig, most)));
  }
  return received;
}

function mustBeInOrder(sent: readonly Message[], received: readonly unknown[], what: string): void {
  const slotOf = new Map(sent.map((message, slot) => [w.token(message), slot]));
  const order = received.map((message) => slotOf.get(tokenIn(bodyOf(message)) ?? ''));
  const slots = sent.map((message, slot): SlotLine => {
    const place = order.indexOf(slot);
    const mark = place === slot ? 'ok' : place < 0 ? 'lost' : 'reordered';
    const stored = place < 0 ? 'not received' : `received as number ${place + 1}`;
    return { slot, mark, sent: w.print(message), expected: `received as number ${slot + 1}`, stored };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length > 0) {
    throw new Violation(
      `${what}: ${bad.length} of ${count(sent.length, 'messages')} are not received in the order in which they were sent; ` +
        `first in slot ${bad[0]!.slot}: ${bad[0]!.expected}, but ${bad[0]!.stored}`,
      { input: `${count(sent.length, 'messages')}, ${what}`, slots },
    );
  }
  if (received.length > sent.length) {
    throw new Violation(`${what}: ${count(received.length, 'messages')} were received of ${sent.length}`);
  }
}
