import { isDeepStrictEqual } from 'node:util';
import { byToken, failureText, mustHaveStoredAll } from '../../kernel/checks.ts';
import type { Fault } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';
import { type Held, hold, keyed, mustTakeSeveral, withOtherBodies } from './keyed.ts';

/** Round its commit, the places at which the connection of the first attempt is cut, in words. */
const cuts = {
  'before-sent': 'before its commit was sent',
  'after-sent': 'once its commit had been sent',
  'before-ack': 'before the acknowledgement of its commit was read',
} as const;

export const retryDoesNotDuplicate: Guard = guard({
  id: 'send-batch/retry-does-not-duplicate',
  statement: 'A batch with keys whose acknowledgement was lost, sent again, leaves one row for each message.',
  needs: ['dedupeKey', 'cut'],
  proves: ['cuts', 'rows stored by an attempt whose acknowledgement was lost'],
  async check(bench) {
    for (const commit of Object.keys(cuts) as (keyof typeof cuts)[]) {
      await bench.case(commit, () => retried(bench, { at: 'cut', point: { commit } }, cuts[commit]));
    }
  },
});

/** Sends a batch whose connection is cut, then the same batch again. */
async function retried(bench: Bench, fault: Fault, where: string): Promise<void> {
  const rig = await bench.open();
  const batch = keyed(bench, severalChunks(bench));
  const armed = await rig.lease.arm(fault);
  const first = await w.write(rig, batch);
  bench.record('cuts', (await armed.sprung()).count);
  await armed.disarm();
  await rig.quiet();
  const stored = byToken(await w.stored(bench, rig)).size;
  if (failureOf(first) && stored > 0) bench.record('rows stored by an attempt whose acknowledgement was lost', stored);
  bench.record(`cut ${where}`, stored === 0 ? 'nothing of it in the engine' : `${count(stored, 'rows')} in the engine`);
  const again = await w.write(rig, batch);
  const told = failureOf(again);
  const reply = told ? ` and failed (${failureText(told)})` : '';
  const what = `a batch whose connection was cut ${where}, and which was then sent again${reply}`;
  await mustHaveStoredAll(bench, w, rig, batch, what);
}

export const replayIsRecognised: Guard = guard({
  id: 'send-batch/replay-is-recognised',
  statement: 'A batch that is sent again reports its own rows, as stored or as duplicates, with their ids.',
  needs: ['dedupeKey'],
  proves: ['rows stored before the replay', 'ids told again'],
  async check(bench) {
    mustTakeReplays(bench);
    for (const by of ['the-same-subject', 'another-subject'] as const) {
      await bench.case(`by-${by}`, async () => {
        const rig = await bench.open();
        const held = await hold(bench, rig, keyed(bench, severalChunks(bench)));
        bench.record('rows stored before the replay', held.length);
        const anotherHost = bench.facts.lacks.twoHosts === undefined;
        const again = by === 'the-same-subject' ? rig : await bench.open({ lease: rig.lease, anotherHost });
        const batch = held.map(({ message }) => message);
        const written = await w.write(again, batch);
        mustTellItsRows(bench, held, written, `the replay of a stored batch by ${by.replaceAll('-', ' ')}`);
        await mustHaveStoredAll(bench, w, rig, batch, 'a batch that was sent twice');
        bench.record('ids told again', held.length);
      });
    }
  },
});

function mustTakeReplays({ declaration }: Bench): void {
  if (declaration.keyPolicy !== 'refuse') return;
  throw new NotApplicable('backend', 'a batch with a key that is taken is refused, as keyPolicy refuse declares');
}

/** Fails the guard unless every outcome is stored or duplicate, with the id of its message's row. */
function mustTellItsRows(bench: Bench, held: readonly Held[], written: Written, what: string): void {
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}`);
  const outcomes = written.outcomes ?? [];
  if (outcomes.length !== held.length)
    throw new Violation(`${what} brought ${count(outcomes.length, 'outcomes')} for ${count(held.length, 'messages')}`);
  if (bench.declaration.givesUp.ids !== undefined) return;
  const idIn = (slot: number) => {
    const outcome = outcomes[slot]!;
    return 'stored' in outcome ? outcome.stored : 'duplicate' in outcome ? outcome.duplicate : null;
  };
  const slots = held.map(({ message, id }, slot) => ({
    slot,
    mark: idIn(slot) === id ? ('ok' as const) : ('wrong' as const),
    sent: w.print(message),
    expected: `id ${id}, its row`,
    stored: short(outcomes[slot]),
  }));
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  throw new Violation(
    `${what}: ${bad.length} of ${count(held.length, 'outcomes')} do not name the rows of their messages; ` +
      `first in slot ${bad[0]!.slot}: expected ${bad[0]!.expected}, told ${bad[0]!.stored}`,
    { input: `${count(held.length, 'messages')}, ${what}`, slots },
  );
}

export const replayWithFreshItems: Guard = guard({
  id: 'send-batch/replay-with-fresh-items',
  statement: 'Of a batch of messages that were sent before and new ones, the new ones are stored.',
  needs: ['dedupeKey'],
  proves: ['rows stored before the replay', 'new messages stored'],
  async check(bench) {
    mustTakeReplays(bench);
    mustTakeSeveral(bench);
    const size = severalChunks(bench);
    const middle = Math.floor(size / 2);
    const isFresh: Record<string, (slot: number) => boolean> = {
      'new-ones-last': (slot) => slot >= middle,
      'new-ones-first': (slot) => slot < middle,
      'in-turn': (slot) => slot % 2 === 1,
      'one-new-one': (slot) => slot === middle,
      'one-old-one': (slot) => slot !== middle,
    };
    for (const [name, fresh] of Object.entries(isFresh)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const batch = keyed(bench, size);
        const old = batch.filter((_, slot) => !fresh(slot));
        bench.record('rows stored before the replay', (await hold(bench, rig, old)).length);
        await freshOnesAreStored(bench, rig, batch, old.length);
        bench.record('new messages stored', size - old.length);
      });
    }
  },
});

async function freshOnesAreStored(bench: Bench, rig: Rig, batch: readonly Message[], old: number): Promise<void> {
  const what = `a batch of ${old} messages that were sent before and ${batch.length - old} new ones`;
  const written = await w.write(rig, batch);
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}; the new ones were to be stored`);
  await mustHaveStoredAll(bench, w, rig, batch, what);
}

export const keyIsBoundToContent: Guard = guard({
  id: 'send-batch/key-is-bound-to-content',
  level: 'should',
  statement:
    'A key that is sent again with another body is refused or told apart, never taken for a duplicate without a word.',
  needs: ['dedupeKey'],
  proves: ['keys sent again with another body'],
  async check(bench) {
    const { keyPolicy } = bench.declaration;
    if (keyPolicy === 'replace')
      throw new NotApplicable('backend', 'the other body takes the place of the first, as keyPolicy replace declares');
    const rig = await bench.open();
    const batch = keyed(bench, 5);
    await hold(bench, rig, batch);
    const same = await w.write(rig, batch);
    for (const slot of [0, 2, 4]) {
      await bench.case(`slot-${slot}`, async () => {
        const [other] = withOtherBodies(bench, [batch[slot]!]);
        const written = await w.write(rig, batch.with(slot, other!));
        bench.record('keys sent again with another body', 1);
        if (failureOf(written)) return;
        const [told, toldBefore] = [written.outcomes?.[slot], same.outcomes?.[slot]];
        if (!isDeepStrictEqual(told, toldBefore)) return;
        throw new Violation(
          `message ${slot}, sent again under its key but with another body, is told as ${short(told)}, just as with its ` +
            'own body; it should be refused, or told apart: { duplicate: id, differs: true }',
        );
      });
    }
  },
});
