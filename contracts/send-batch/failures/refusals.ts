import { type Offer, offers } from '../../kernel/capabilities.ts';
import { mustFail, mustHaveStoredAll, mustHaveStoredNothing, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';
import { Recipe } from '../../kernel/recipe.ts';
import { mustBeRefused } from '../../kernel/refused.ts';
import { positions, severalChunks } from '../../kernel/tables.ts';
import { failureOf, grown, type Written } from '../../kernel/writes.ts';
import { messages, offeredOptions } from '../messages.ts';
import type { Message, SendOptions } from '../port.ts';
import { sendBatchWith, sendWrites as w } from '../writes.ts';

export const missingNamespaceIsAnError: Guard = guard({
  id: 'send-batch/missing-namespace-is-an-error',
  statement:
    'A batch to a namespace that does not exist fails whole, or, where declared, creates it and is stored whole.',
  needs: ['namespaces'],
  proves: ['namespace seen missing'],
  async check(bench) {
    const rig = await bench.open();
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
    'A message to a destination that does not exist fails the whole batch, wherever it stands among good ones.',
  needs: ['destination', 'atomic'],
  proves: ['unknown destinations sent', 'controls stored'],
  async check(bench) {
    if (bench.declaration.destinations === 'any') throw new NotApplicable('backend', 'it takes any destination');
    const nowhere = (message: Message) => ({ ...message, destination: 'no-such-destination' });
    const what = 'a message to a destination that does not exist';
    await mustFailEverywhere(bench, what, nowhere, 'unknown destinations sent');
  },
});

/**
 * Sends batches with such a message at the first, a middle and the last place: each must fail, and leave nothing. Then
 * the good ones alone, which must be stored.
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
    mustFail(w, batch, written, where);
    await mustHaveStoredNothing(bench, w, rig, batch, where);
    const more = grown(before, await rig.lease.snapshot());
    if (Object.keys(more).length > 0) throw new Violation(`${where} failed, yet rows of it are left: ${short(more)}`);
  }
  await premise('the same batch with a good message there', () => mustStore(bench, rig, good));
}

async function mustStore(bench: Bench, rig: Rig, batch: readonly Message[]): Promise<void> {
  mustSucceed(w, batch, await w.write(rig, batch), 'it');
  await mustHaveStoredAll(bench, w, rig, batch, 'it');
  bench.record('controls stored', 1);
}

export const unsupportedOptionIsRefused: Guard = guard({
  id: 'send-batch/unsupported-option-is-refused',
  statement:
    'An option that is not offered is refused before any write, in a message at any position and in the options of the call.',
  proves: ['options sent', 'controls stored'],
  async check(bench) {
    const missing = offers.filter((offer) => !bench.declaration.offers.includes(offer));
    const size = severalChunks(bench);
    let tried = 0;
    for (const offer of missing) {
      const send = sendUsing(bench, offer);
      if (!send) continue;
      tried += 1;
      await bench.case(offer, async () => {
        const rig = await bench.open();
        const good = messages(bench, size);
        const slots = isOfTheCall(offer) ? [0] : positions(bench, size).map(({ slot }) => slot);
        for (const slot of slots) {
          const before = await rig.lease.snapshot();
          const where = isOfTheCall(offer) ? 'its call' : `message ${slot}`;
          const what = `a batch that uses ${offer}, which is not offered, in ${where}`;
          const refusable = { items: good, slots: isOfTheCall(offer) ? ('all' as const) : [slot], before };
          await mustBeRefused(bench, w, rig, refusable, await send(rig, good, slot), what);
          bench.record('options sent', 1);
        }
        await premise('the same batch without it', () => mustStore(bench, rig, good));
      });
    }
    if (tried === 0) throw new NotApplicable('backend', 'it offers every option');
  },
});

type OptionOfTheCall = 'transaction' | 'cancel' | 'chunkSize';

function isOfTheCall(offer: Offer): offer is OptionOfTheCall {
  return offer === 'transaction' || offer === 'cancel' || offer === 'chunkSize';
}

/** Sends the batch with the option in that slot, or in the call; undefined where there is no such option. */
function sendUsing(
  bench: Bench,
  offer: Offer,
): ((rig: Rig, batch: readonly Message[], slot: number) => Promise<Written>) | undefined {
  if (offer === 'cancel') {
    return (rig, batch) => w.write(rig, batch, { signal: new AbortController().signal });
  }
  if (isOfTheCall(offer)) {
    const options: SendOptions = offer === 'chunkSize' ? { chunkSize: 10 } : { transaction: {} };
    return (rig, batch) => sendBatchWith(rig, batch, { ...options });
  }
  // Scheduled jobs have a guard of their own.
  if (offer === 'jobs' || !w.using(bench, messages(bench, 1, 'bare')[0]!, offer)) return undefined;
  return (rig, batch, slot) => w.write(rig, batch.with(slot, w.using(bench, batch[slot]!, offer)!));
}
