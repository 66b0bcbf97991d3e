import { metadataOptions } from '../../kernel/capabilities.ts';
import { mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import type { SlotLine } from '../../kernel/counterexample.ts';
import { type Bench, type Guard, guard, NotApplicable, Violation } from '../../kernel/guard.ts';
import { count, sameJson, short } from '../../kernel/print.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages, usingOption } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/** The fields of a message, under which an outcome can speak of it. */
const fields: ReadonlySet<string> = new Set<keyof Message>([
  'body',
  ...metadataOptions,
  'dedupeKey',
  'id',
  'columns',
  'job',
]);

export const outcomeDescribesItsMessage: Guard = guard({
  id: 'send-batch/outcome-describes-its-message',
  statement: 'What outcome i says about its message (its correlation id, its key, its name) is true of message i.',
  proves: ['fields compared'],
  async check(bench) {
    let told = 0;
    const compare = (batch: readonly Message[], written: Written, what: string) => {
      const compared = mustDescribe(batch, written, what);
      told += compared;
      if (compared > 0) bench.record('fields compared', compared);
    };
    await bench.case('stored', async () => {
      const rig = await bench.open();
      const batch = named(bench, severalChunks(bench));
      const written = await w.write(rig, batch);
      mustSucceed(w, batch, written, 'a batch');
      await mustHaveStoredAll(bench, w, rig, batch, 'a batch');
      compare(batch, written, 'a batch that was stored');
    });
    await bench.case('mixed-shapes', async () => {
      const rig = await bench.open();
      const batch = messages(bench, severalChunks(bench), 'mixed');
      const written = await w.write(rig, batch);
      mustSucceed(w, batch, written, 'a batch of mixed shapes');
      compare(batch, written, 'a batch whose messages set different options');
    });
    await bench.case('failed', async () => {
      const rig = await bench.open();
      const size = severalChunks(bench);
      const middle = Math.floor(size / 2);
      const batch = named(bench, size).map((message, slot) => (slot === middle ? w.unreadable(message) : message));
      const written = await w.write(rig, batch);
      if (failureOf(written)) compare(batch, written, 'a batch that failed');
    });
    await bench.case('single', async () => {
      const rig = await bench.open();
      const [message] = named(bench, 1);
      const written = await w.writeOne(rig, message!);
      mustSucceed(w, [message!], written, 'a single send');
      compare([message!], written, 'a single send');
    });
    if (told === 0) throw new NotApplicable('backend', 'its outcomes say nothing about their messages (about)');
  },
});

/** Messages that set every option which is offered, keys and ids of their own too. */
function named(bench: Bench, size: number): Message[] {
  const own = (['dedupeKey', 'callerIds'] as const).filter((offer) => bench.declaration.offers.includes(offer));
  return messages(bench, size).map((message) =>
    own.reduce<Message>((named, offer) => usingOption(bench, named, offer) ?? named, message),
  );
}

/** Fails where an outcome says what is not true of its message; returns how many values were compared. */
function mustDescribe(batch: readonly Message[], { outcomes }: Written, what: string): number {
  let compared = 0;
  const slots = (outcomes ?? []).map(({ about = {} }, slot): SlotLine => {
    const message = batch[slot] as unknown as Record<string, unknown>;
    const stranger = Object.keys(about).find((field) => !fields.has(field));
    if (stranger !== undefined) {
      throw new Violation(
        `${what}: outcome ${slot} says ${stranger} = ${short(about[stranger])} about its message; ` +
          `a message has no such field (it has ${[...fields].join(', ')})`,
      );
    }
    const told = Object.entries(about);
    compared += told.length;
    const wrong = told.filter(([field, value]) => !sameJson(value ?? null, message[field] ?? null));
    return {
      slot,
      mark: wrong.length > 0 ? 'wrong' : 'ok',
      sent: short(message, 72),
      expected: told.map(([field]) => `${field} = ${short(message[field])}`).join('; ') || 'nothing',
      stored: told.map(([field, value]) => `${field} = ${short(value)}`).join('; ') || 'nothing',
    };
  });
  const bad = slots.filter(({ mark }) => mark !== 'ok');
  if (bad.length > 0) {
    const { slot, expected, stored } = bad[0]!;
    throw new Violation(
      `${what}: ${bad.length} of ${count(slots.length, 'outcomes')} do not describe their own message; ` +
        `first in slot ${slot}: expected ${expected}, told ${stored}`,
      { input: count(batch.length, 'messages'), slots },
    );
  }
  return compared;
}
