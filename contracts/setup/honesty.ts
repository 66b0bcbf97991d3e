import { type Capability, type Offer, offers, promises } from '../kernel/capabilities.ts';
import { byToken, mustAgree, mustBeExact, mustHaveStoredAll, mustSucceed, premise } from '../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../kernel/guard.ts';
import { count } from '../kernel/print.ts';
import { mustBeRefused } from '../kernel/refused.ts';
import type { Writes, Written } from '../kernel/writes.ts';

/** What a backend says of itself is what it does. */
export function honestyGuards<Item>(w: Writes<Item>): Guard[] {
  return [capabilityIsHonest(w), capabilitySurvivesWrapping(w)];
}

function capabilityIsHonest<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/capability-is-honest',
    statement:
      'What is offered works, and what is claimed has its members; what is not offered is refused before any write.',
    proves: ['options tried'],
    async check(bench) {
      const { offers: offered, extras, givesUp } = bench.declaration;
      const kept = promises.filter((promise) => givesUp[promise] === undefined);
      for (const capability of [...offered, ...extras, ...kept]) {
        const members = w.membersOf[capability];
        if (members) await bench.case(`members-of-${capability}`, () => mustHaveMembers(bench, capability, members));
      }
      const size = 3;
      for (const offer of offers) {
        const [probe] = w.items(bench, 1, 'bare');
        if (w.using(bench, probe!, offer) === undefined) continue;
        const use = `whose second item uses ${offer}`;
        await keepsItsWord(bench, w, offer, use, (rig) => {
          const plain = w.items(bench, size, 'bare');
          const items = plain.map((item, slot) => (slot === 1 ? w.using(bench, item, offer)! : item));
          return { plain, items, written: w.write(rig, items) };
        });
      }
      await keepsItsWord(bench, w, 'cancel', 'that is given a signal', (rig) => {
        const items = w.items(bench, size, 'bare');
        return { plain: items, items, written: w.write(rig, items, { signal: new AbortController().signal }) };
      });
      if (offered.includes('transaction')) {
        await bench.case('offers-transaction', () => mustFollowTheCaller(bench, w, w.items(bench, size, 'bare')));
      }
    },
  });
}

/** A transaction that the batch takes part in takes the batch with it when it is rolled back. */
async function mustFollowTheCaller<Item>(bench: Bench, w: Writes<Item>, items: readonly Item[]): Promise<void> {
  const rig = await bench.open();
  const transaction = await rig.subject.begin();
  const { observer } = bench.facts.lacks;
  const connections = observer === undefined ? '' : `; ${observer}, and begin() has to use that of the subject`;
  const what = `a batch in a transaction of its caller (transaction is offered${connections})`;
  mustSucceed(w, items, await w.write(rig, items, { transaction }), what);
  bench.record('options tried', 1);
  await transaction.rollback();
  const stored = byToken(await w.stored(bench, rig));
  const left = items.filter((item) => stored.has(w.token(item))).length;
  if (left > 0)
    throw new Violation(`${what}: he has rolled back, yet ${left} of ${count(items.length, w.noun)} are stored`);
}

async function mustHaveMembers(bench: Bench, capability: Capability, members: readonly string[]): Promise<void> {
  const { subject } = await bench.open();
  const missing = members.filter((member) => !subject.members.includes(member));
  if (missing.length === 0) return;
  throw new Violation(`${capability} is claimed, yet the port has no member ${missing.join(', ')}`);
}

interface Tried<Item> {
  /** The same items without what is tried. */
  plain: Item[];
  items: Item[];
  written: Promise<Written>;
}

/** Tries one offer: what is offered is stored, what is not is refused before any write. */
function keepsItsWord<Item>(
  bench: Bench,
  w: Writes<Item>,
  offer: Offer,
  use: string,
  write: (rig: Rig) => Tried<Item>,
): Promise<void> {
  const offered = bench.declaration.offers.includes(offer);
  return bench.case(offered ? `offers-${offer}` : `refuses-${offer}`, async () => {
    const rig = await bench.open();
    const before = await rig.lease.snapshot();
    const { plain, items, written: writing } = write(rig);
    const written = await writing;
    bench.record('options tried', 1);
    if (offered) {
      const what = `a batch ${use} (${offer} is offered)`;
      mustSucceed(w, items, written, what);
      const rows = await mustHaveStoredAll(bench, w, rig, items, what);
      mustBeExact(bench, w, items, rows, written, what);
      return;
    }
    const using = items.flatMap((item, slot) => (item === plain[slot] ? [] : [slot]));
    const slots = using.length > 0 ? using : 'all';
    await mustBeRefused(bench, w, rig, { items, slots, before }, written, `a batch ${use} (${offer} is not offered)`);
    await premise(`the same batch without ${offer}`, async () => {
      mustSucceed(w, plain, await w.write(rig, plain), 'it');
      await mustHaveStoredAll(bench, w, rig, plain, 'it');
    });
  });
}

function capabilitySurvivesWrapping<Item>(w: Writes<Item>): Guard {
  return guard({
    id: 'setup/capability-survives-wrapping',
    statement: 'Behind a wrapper that passes everything through, the backend has the same members and stores the same.',
    proves: ['wrapped batches stored'],
    async check(bench) {
      const bare = await bench.open();
      const wrapped = await bench.open({ wrapped: true });
      const [one, other] = [bare.subject.members, wrapped.subject.members].map((m) =>
        m.filter((name) => w.members.includes(name)).join(', '),
      );
      if (one !== other) throw new Violation(`unwrapped the backend has ${one}; wrapped it has ${other}`);
      const items = w.items(bench, 5);
      const stored = async (rig: Rig, what: string) => {
        const written = await w.write(rig, items);
        mustSucceed(w, items, written, what);
        const rows = await mustHaveStoredAll(bench, w, rig, items, what);
        return items.map((item, slot) => w.differences(bench, item, rows[slot]!, written));
      };
      const without = await premise('the same batch without a wrapper', () => stored(bare, 'it'));
      const what = 'a batch through a wrapper';
      const within = await stored(wrapped, what);
      // What a batch changes without a wrapper is for another guard.
      const added = within.map((list, slot) =>
        list.filter(({ field }) => !without[slot]!.some((other) => other.field === field)),
      );
      mustAgree(w, items, added, what, 'stored as sent');
      bench.record('wrapped batches stored', 1);
    },
  });
}
