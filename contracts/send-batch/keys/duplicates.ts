import { type Bench, type Guard, guard, type Rig } from '../../kernel/guard.ts';
import { severalChunks } from '../../kernel/tables.ts';
import type { Message } from '../port.ts';
import { mustSeeTheCallersKeys } from './in-transaction.ts';
import { type Held, hold, keyed, mustTakeSeveral, withOtherBodies } from './keyed.ts';
import { goesByThePolicy } from './policy.ts';
import { mustReplaceEveryField } from './replacing.ts';
import { mustLeaveTheRows, mustStoreTheFirst } from './skipping.ts';

/** Batch paths have been seen to cut, and to look up, at 500, 1000, 1024 and 2000; a batch of this size crosses them. */
const large = 2100;

export const duplicatesAreNamed: Guard = guard({
  id: 'send-batch/duplicates-are-named',
  statement:
    'Exactly the messages whose keys are stored already are told as duplicates, with the ids of those rows and none of their own; all others are stored. (Or the batch is refused, naming one of them, where that is declared.)',
  needs: ['dedupeKey'],
  proves: ['keys found stored before', 'messages told'],
  async check(bench) {
    const size = severalChunks(bench);
    const slots = Array.from({ length: size }, (_, slot) => slot);
    const middle = Math.floor(size / 2);
    const few = [...new Set([0, 1, middle, size - 1])].filter((slot) => slot < size);
    const taken = { none: [], first: [0], middle: [middle], last: [size - 1], 'a-few': few, all: slots };
    for (const [name, again] of Object.entries(taken)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const batch = keyed(bench, size);
        // In another order, as no caller would repeat a batch that failed.
        const held = await hold(bench, rig, again.map((slot) => batch[slot]!).reverse());
        await judge(bench, rig, held, batch, `a batch with ${again.length} of its ${size} keys taken`);
      });
    }
    await bench.case('with-other-bodies', async () => {
      const rig = await bench.open();
      const batch = keyed(bench, size);
      const earlier = withOtherBodies(
        bench,
        few.map((slot) => batch[slot]!),
      );
      const held = await hold(bench, rig, earlier.reverse());
      const what = `a batch with ${few.length} of its ${size} keys taken by other bodies`;
      await judge(bench, rig, held, batch, what, { otherBodies: true });
    });
    await bench.case('last-of-a-large-batch', async () => {
      const rig = await bench.open();
      const batch = keyed(
        bench,
        Math.min(Math.max(large, size), bench.declaration.limits.maxItems ?? Number.POSITIVE_INFINITY),
      );
      const held = await hold(bench, rig, batch.slice(-3));
      await judge(bench, rig, held, batch, `a batch with the last ${held.length} of its ${batch.length} keys taken`);
    });
    if (bench.declaration.keyPolicy === 'replace')
      await bench.case('every-field-is-replaced', () => mustReplaceEveryField(bench, 'stored before'));
    else await bench.case('every-field-stays', () => mustLeaveTheRows(bench));
    const { offers, givesUp, keyPolicy } = bench.declaration;
    // A batch that is refused may end the transaction, and what took the keys goes with it.
    if (!offers.includes('transaction') || givesUp.ids !== undefined || keyPolicy === 'refuse') return;
    await bench.case('in-the-callers-transaction', () => mustSeeTheCallersKeys(bench, size, few));
  },
});

export const duplicateInsideTheBatch: Guard = guard({
  id: 'send-batch/duplicate-inside-the-batch',
  statement:
    'A key that stands twice in one batch is stored once, by the declared policy, and the outcome does not echo what was not stored.',
  needs: ['dedupeKey'],
  proves: ['twins sent', 'messages told'],
  async check(bench) {
    mustTakeSeveral(bench);
    const size = severalChunks(bench);
    const last = size - 1;
    const several = [
      [0, 3, last - 1],
      [1, last],
    ];
    const groups: Record<string, number[][]> = {
      neighbours: [[0, 1]],
      'first-and-last': [[0, last]],
      ...(size > 5 && { 'several-groups': several }),
    };
    for (const [name, twins] of Object.entries(groups)) {
      for (const bodies of ['equal', 'other'] as const) {
        await bench.case(`${name}-with-${bodies}-bodies`, async () => {
          const rig = await bench.open();
          const batch = keyed(bench, size);
          for (const [first, ...later] of twins) {
            const again = Array<Message>(later.length).fill(batch[first!]!);
            const copies = bodies === 'equal' ? structuredClone(again) : withOtherBodies(bench, again);
            for (const [i, slot] of later.entries()) batch[slot] = copies[i]!;
            bench.record('twins sent', later.length);
          }
          const what = `a batch in which a key stands more than once, with ${bodies} bodies`;
          await judge(bench, rig, [], batch, what, { otherBodies: bodies === 'other' });
        });
      }
    }
    if (bench.declaration.keyPolicy === 'replace')
      await bench.case('every-field-is-replaced', () => mustReplaceEveryField(bench, 'in the same batch'));
    if (bench.declaration.keyPolicy === 'skip') await bench.case('every-field-stays', () => mustStoreTheFirst(bench));
  },
});

/** Fails the guard unless the batch goes by the declared policy, and enters what was seen. */
async function judge(
  bench: Bench,
  rig: Rig,
  held: readonly Held[],
  batch: readonly Message[],
  what: string,
  options?: { otherBodies: boolean },
): Promise<void> {
  if (held.length > 0) bench.record('keys found stored before', held.length);
  await goesByThePolicy(bench, rig, held, batch, what, options);
  bench.record('messages told', batch.length);
}
