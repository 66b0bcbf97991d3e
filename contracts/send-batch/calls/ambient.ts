import { mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, type Rig, Vacuous, Violation } from '../../kernel/guard.ts';
import { count, sameJson, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { StoredItem } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const ambientContextIsKept: Guard = guard({
  id: 'send-batch/ambient-context-is-kept',
  statement: 'The ambient context that a single send picks up (a trace, a tenant) reaches every message of a batch.',
  needs: ['ambient'],
  proves: ['fields of the context', 'messages compared'],
  async check(bench) {
    const context = bench.token();
    const picked = await pickedUp(bench, context);
    bench.record('fields of the context', [...picked.keys()].join(', '));
    const size = severalChunks(bench);
    const compare = async (rig: Rig, batch: Message[], within: string | undefined, what: string) => {
      const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
      mustCarry(batch, rows, expectedBy(picked, context, within), what);
      bench.record('messages compared', batch.length);
    };
    await bench.case('batch', async () => {
      const rig = await bench.open();
      const batch = messages(bench, size);
      const within = bench.token();
      mustSucceed(w, batch, await w.write(rig, batch, { context: within }), 'a batch in a context');
      await compare(rig, batch, within, 'a batch in a context');
      const outside = messages(bench, size);
      mustSucceed(w, outside, await w.write(rig, outside), 'a batch outside of any context');
      await compare(rig, outside, undefined, 'a batch outside of any context, after one in a context');
    });
    await bench.case('two-at-once', async () => {
      const rig = await bench.open();
      const batches = [messages(bench, size), messages(bench, size)];
      const contexts = [bench.token(), bench.token()];
      const written = await Promise.all(batches.map((batch, i) => w.write(rig, batch, { context: contexts[i]! })));
      for (const [i, batch] of batches.entries()) {
        const what = `the ${i === 0 ? 'first' : 'second'} of two batches at once, each in a context of its own`;
        mustSucceed(w, batch, written[i]!, what);
        await compare(rig, batch, contexts[i], what);
      }
    });
  },
});

/** What single sends store in a context and outside of it, of the fields that show the context. */
async function pickedUp(bench: Bench, context: string): Promise<Map<string, { inside: unknown; outside: unknown }>> {
  return premise('single sends inside and outside of a context', async () => {
    const rig = await bench.open();
    const batch = messages(bench, 2, 'bare');
    mustSucceed(w, [batch[0]!], await w.writeOne(rig, batch[0]!, { context }), 'a single send in a context');
    mustSucceed(w, [batch[1]!], await w.writeOne(rig, batch[1]!), 'a single send outside of it');
    const [inside, outside] = await mustHaveStoredAll(bench, w, rig, batch, 'single sends');
    const fields = Object.keys(inside!.fields).filter((field) => holds(inside!.fields[field], context));
    if (fields.length === 0) {
      throw new Vacuous(`no field of a single send shows the context in which it was sent (${context})`);
    }
    return new Map(fields.map((field) => [field, { inside: inside!.fields[field], outside: outside!.fields[field] }]));
  });
}

function holds(value: unknown, text: string): boolean {
  return JSON.stringify(value, (_key, v) => (typeof v === 'bigint' ? String(v) : v))?.includes(text) ?? false;
}

/** What the fields of the context hold within another context, or outside of any. */
function expectedBy(
  picked: ReadonlyMap<string, { inside: unknown; outside: unknown }>,
  context: string,
  within: string | undefined,
): Map<string, unknown> {
  const value = (inside: unknown) => JSON.parse(JSON.stringify(inside).replaceAll(context, within!)) as unknown;
  return new Map(
    [...picked].map(([field, { inside, outside }]) => [field, within === undefined ? outside : value(inside)]),
  );
}

function mustCarry(
  batch: readonly Message[],
  rows: readonly StoredItem[],
  expected: ReadonlyMap<string, unknown>,
  what: string,
): void {
  const print = (values: Iterable<[string, unknown]>) =>
    [...values].map(([field, value]) => `${field} = ${short(value)}`).join('; ');
  const slots = rows.map(({ fields }, slot): SlotLine => {
    const found = [...expected.keys()].map((field): [string, unknown] => [field, fields[field]]);
    const kept = found.every(([field, value]) => sameJson(value ?? null, expected.get(field) ?? null));
    const line = { slot, sent: w.print(batch[slot]!), expected: print(expected), stored: print(found) };
    return { ...line, mark: kept ? 'ok' : 'changed' };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length === 0) return;
  throw new Violation(
    `${what}: ${bad.length} of ${count(rows.length, 'messages')} do not carry it as a single send does; ` +
      `first in slot ${bad[0]!.slot}: expected ${bad[0]!.expected}, found ${bad[0]!.stored}`,
    { input: `${count(batch.length, 'messages')}, ${what}`, slots },
  );
}
