import { body } from '../../kernel/bodies.ts';
import { failureText } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { positions, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { claimedStored, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const eachOutcomeIsTrue: Guard = guard({
  id: 'send-batch/each-outcome-is-true',
  statement: 'Outcome i says stored exactly when the row of message i is there, and failed exactly when it is not.',
  needs: ['!atomic'],
  proves: ['true stored outcomes', 'true failed outcomes', 'ways of failing'],
  async check(bench) {
    const ways = new Set<string>();
    for (const [how, slots] of failing(bench)) {
      if (slots.length === 0) {
        await bench.case(how, async () => {
          const batch = messages(bench, severalChunks(bench));
          const rig = await bench.open();
          await mustBeTold(bench, rig, batch, await w.write(rig, batch), 'a batch without a failure', slots);
        });
        continue;
      }
      await bench.case(`${how}-unreadable`, async () => {
        const bad = (message: Message) => w.unreadable(message);
        const batch = withBad(messages(bench, severalChunks(bench)), slots, bad);
        const rig = await bench.open();
        const what = `a batch with ${count(slots.length, 'messages')} that cannot be read`;
        await mustBeTold(bench, rig, batch, await w.write(rig, batch), what, slots);
        ways.add('refused by the backend');
      });
      bench.leaveOut(`${how}-refused-by-the-engine`, bench.facts.lacks.rowFault);
      if (bench.facts.lacks.rowFault !== undefined) continue;
      await bench.case(`${how}-refused-by-the-engine`, async () => {
        if (await poisoned(bench, slots)) ways.add('refused by the engine');
      });
    }
    bench.record('ways of failing', [...ways].join(', '));
  },
});

/** The slots whose messages fail: none, one, two, all; the telling positions in turn. */
function failing(bench: Bench): [string, number[]][] {
  const size = severalChunks(bench);
  const places = positions(bench, size);
  const one = places.map(({ name, slot }): [string, number[]] => [`one-${name}`, [slot]]);
  const two: [string, number[]][] = [
    ['two-neighbours', [1, 2]],
    ['two-apart', [0, size - 2]],
  ];
  const all = Array.from({ length: size }, (_, slot) => slot);
  return [['none', []], ...one, ...(size > 3 ? two : []), ['all', all]];
}

function withBad(good: Message[], slots: readonly number[], bad: (message: Message, slot: number) => Message) {
  const chosen = new Set(slots);
  return good.map((message, slot) => (chosen.has(slot) ? bad(message, slot) : message));
}

/** Sends messages that the engine refuses however often they are sent; whether it was asked to store one. */
async function poisoned(bench: Bench, slots: readonly number[]): Promise<boolean> {
  const rig = await bench.open();
  const poison = `poison-${bench.token()}`;
  const good = messages(bench, severalChunks(bench));
  const spoil = (message: Message, slot: number) => ({
    ...message,
    body: body(bench, `${w.token(message)} ${poison}`, slot),
  });
  const batch = withBad(good, slots, spoil);
  const empty = await rig.lease.snapshot();
  for (const table of Object.keys(await tablesWritten(bench, w, good, rig))) {
    const armed = await rig.lease.arm({ at: 'poison', table, text: poison });
    const written = await w.write(rig, batch);
    const sprung = await armed.sprung();
    await armed.disarm();
    // The poison is in the row of the body, and in no other table.
    if (sprung.count === 0) {
      await rig.lease.restore(empty);
      continue;
    }
    const what = `a batch with ${count(slots.length, 'messages')} that the engine refuses`;
    await mustBeTold(bench, rig, batch, written, what, slots);
    return true;
  }
  return false;
}

/** Fails unless every message is told for itself, and what is told of it is true, its id too. */
async function mustBeTold(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  what: string,
  failing: readonly number[],
): Promise<void> {
  const rows = await w.stored(bench, rig);
  const { threw } = written;
  if (threw && rows.length > 0) {
    throw new Violation(
      `${what} threw (${failureText(threw)}), yet ${rows.length} of ${count(batch.length, 'messages')} are stored: ` +
        'without atomic, a batch that is stored in part owes every message an outcome of its own',
    );
  }
  if (!threw && !written.outcomes) throw new Violation(`${what} returned no list of outcomes: ${written.malformed}`);
  await mustBeTrue(bench, w, rig, batch, written, what);
  const liar = failing.find((slot) => written.outcomes && !('failed' in written.outcomes[slot]!));
  if (liar !== undefined) throw new Violation(`${what}: outcome ${liar} does not say failed, though its message did`);
  mustNameOwnRow(bench, batch, written, rows, what);
  const failed = threw ? batch.length : written.outcomes!.filter((outcome) => 'failed' in outcome).length;
  const stored = claimedStored(written);
  if (stored > 0) bench.record('true stored outcomes', stored);
  if (failed > 0) bench.record('true failed outcomes', failed);
}

/** Beside failed ones, ids go astray most easily. */
function mustNameOwnRow(
  bench: Bench,
  batch: readonly Message[],
  written: Written,
  rows: readonly { token: string | undefined; id: string }[],
  what: string,
): void {
  if (bench.declaration.givesUp.ids !== undefined || !written.outcomes) return;
  const tokenOf = new Map(rows.map(({ id, token }) => [id, token]));
  for (const [slot, outcome] of written.outcomes.entries()) {
    if (!('stored' in outcome) || tokenOf.get(outcome.stored ?? '') === w.token(batch[slot]!)) continue;
    throw new Violation(`${what}: outcome ${slot} has the id ${outcome.stored}, which is not that of its own row`);
  }
}
