import { mustFail, mustHaveStoredAll, mustHaveStoredNothing, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { Recipe } from '../../kernel/recipe.ts';
import { mustBeRefused } from '../../kernel/refused.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, grown } from '../../kernel/writes.ts';
import { messages, offeredOptions } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const missingNamespaceIsAnError: Guard = guard({
  id: 'send-batch/missing-namespace-is-an-error',
  statement:
    'A batch to a namespace that does not exist fails whole, or, where declared, creates it and is stored whole.',
  needs: ['namespaces'],
  proves: ['namespace seen missing'],
  async check(bench) {
    const rig = await bench.open({ uncreated: true });
    await rig.lease.wipe();
    const before = await rig.read();
    bench.record('namespace seen missing', 'missing' in before ? 1 : 0);
    const batch = messages(bench, 5);
    const written = await w.write(rig, batch);
    const what = 'a batch to a namespace that does not exist';
    if (bench.declaration.namespaces === 'onDemand') {
      mustSucceed(w, batch, written, what);
      await mustHaveStoredAll(bench, w, rig, batch, what);
      return;
    }
    mustFail(w, batch, written, what);
    if (written.outcomes && written.outcomes.length !== batch.length) {
      throw new Violation(`${what} of ${batch.length} messages brought ${written.outcomes.length} outcomes`);
    }
  },
});

export const invalidMessageFailsWhole: Guard = guard({
  id: 'send-batch/invalid-message-fails-whole',
  statement: 'A message that the single path refuses fails the whole batch wherever it stands; it is not left out.',
  needs: ['atomic'],
  proves: ['messages refused by the single path', 'invalid messages sent in a batch', 'controls stored'],
  async check(bench) {
    let refused = 0;
    for (const [name, spoil] of Object.entries(invalid(bench))) {
      const alone = await bench.open();
      const failure = failureOf(await w.writeOne(alone, spoil(messages(bench, 1, 'bare')[0]!)));
      if (!failure) continue;
      refused += 1;
      bench.record('messages refused by the single path', 1);
      await bench.case(name, () =>
        mustFailEverywhere(bench, `a ${name.replaceAll('-', ' ')}`, spoil, 'invalid messages sent in a batch'),
      );
    }
    if (refused === 0) throw new NotApplicable('backend', 'its single path takes every message that was tried');
  },
});

/** Messages that a backend may refuse for what they hold; what is unreadable has a guard of its own. */
function invalid(bench: Bench): Record<string, (message: Message) => Message> {
  const spoils: Record<string, (message: Message) => Message> = {
    'body-that-is-undefined': (m) => ({ ...m, body: undefined }),
    'body-that-is-a-function': (m) => ({ ...m, body: new Recipe('function', w.token(m)) }),
    'body-that-is-a-cycle': (m) => ({ ...m, body: new Recipe('cycle', w.token(m)) }),
  };
  for (const option of offeredOptions(bench)) {
    const wrong = wrongValues[option];
    spoils[`${option}-of-a-wrong-type`] = (m) => ({ ...m, [option]: wrong });
  }
  return spoils;
}

const wrongValues = {
  destination: 7,
  delay: 'soon',
  expiration: 'late',
  priority: 'high',
  route: 7,
  correlationId: 7,
  headers: 'none',
} as const;

export const unknownDestinationFailsWhole: Guard = guard({
  id: 'send-batch/unknown-destination-fails-whole',
  statement:
    'A message to a destination that does not exist fails wherever it stands among good ones, and where batches are atomic the whole batch with it.',
  needs: ['destination'],
  proves: ['unknown destinations sent', 'controls stored'],
  async check(bench) {
    if (bench.declaration.destinations === 'any') throw new NotApplicable('backend', 'it takes any destination');
    const nowhere = (message: Message) => ({ ...message, destination: 'no-such-destination' });
    const what = 'a message to a destination that does not exist';
    await mustFailEverywhere(bench, what, nowhere, 'unknown destinations sent');
  },
});

/**
 * Sends batches with such a message at the first, a middle and the last place: each must fail, and leave nothing; without
 * `atomic` the message must, and what is told of the others must be true. Then the good ones alone, which must be stored.
 */
async function mustFailEverywhere(
  bench: Bench,
  what: string,
  spoil: (message: Message) => Message,
  evidence: string,
): Promise<void> {
  const size = severalChunks(bench);
  const rig = await bench.open();
  const good = messages(bench, size);
  const before = await rig.lease.snapshot();
  for (const slot of [0, Math.floor(size / 2), size - 1]) {
    const batch = good.with(slot, spoil(good[slot]!));
    const written = await w.write(rig, batch);
    bench.record(evidence, 1);
    const where = `a batch with ${what} in slot ${slot}`;
    if (bench.declaration.givesUp.atomic !== undefined) {
      await mustBeRefused(bench, w, rig, { items: batch, slots: [slot], before }, written, where);
      continue;
    }
    mustFail(w, batch, written, where);
    await mustHaveStoredNothing(bench, w, rig, batch, where);
    const more = grown(before, await rig.lease.snapshot());
    if (Object.keys(more).length > 0) throw new Violation(`${where} failed, yet rows of it are left: ${short(more)}`);
  }
  await premise('the same batch with a good message there', async () => {
    mustSucceed(w, good, await w.write(rig, good), 'it');
    await mustHaveStoredAll(bench, w, rig, good, 'it');
  });
  bench.record('controls stored', 1);
}
