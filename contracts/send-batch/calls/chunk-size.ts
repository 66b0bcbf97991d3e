import {
  mustBeExact,
  mustFail,
  mustHaveStoredAll,
  mustHaveStoredNothing,
  mustSucceed,
  premise,
} from '../../kernel/checks.ts';
import type { SeenStatement } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, Violation } from '../../kernel/guard.ts';
import { count } from '../../kernel/print.ts';
import { severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { declaredChunkRows } from '../../kernel/writes.ts';
import { mustNameTheirRows } from '../ids/naming.ts';
import { hold, keyed } from '../keys/keyed.ts';
import { mustFollowThePolicy } from '../keys/policy.ts';
import { type Left, leftBy, mustHaveLeft } from '../left.ts';
import { messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendBatchWith, sendWrites as w } from '../writes.ts';

/** Messages in a batch. */
const usual = 257;
/** A chunk size that cuts a batch of a few messages already. */
const small = 7;
/** A chunk size that no batch comes up to. */
const huge = 1_000_000_000;

export const chunkSizeOption: Guard = guard({
  id: 'send-batch/chunk-size-option',
  level: 'should',
  statement:
    'A chunk size never changes what is stored and reported; no statement of its call carries more rows; 0, negative and NaN are as declared.',
  needs: ['chunkSize', 'trace'],
  proves: ['chunk sizes tried', 'statements seen', 'bad chunk sizes'],
  async check(bench) {
    const size = Math.min(usual, bench.declaration.limits.maxItems ?? usual);
    const rowsPerMessage = Math.ceil((await rowsOfTheLargestTable(bench, size)) / size);
    const tryOut = (chunkSize: number, count: number) =>
      bench.case(`chunk-size-${chunkSize}`, () =>
        sameInChunks(bench, messages(bench, count), chunkSize, chunkSize * rowsPerMessage),
      );
    for (const chunkSize of new Set([1, 7, size - 1, size, size + 1])) await tryOut(chunkSize, size);
    // As many as the backend would not put into one statement by itself.
    await tryOut(huge, severalChunks(bench));
    for (const chunkSize of new Set(sizesForATail(bench))) {
      const count = 2 * chunkSize + 1;
      if (count > (bench.declaration.limits.maxItems ?? count)) continue;
      await bench.case(`chunk-size-${chunkSize}-and-a-tail-of-1`, () =>
        sameInChunks(bench, messages(bench, count), chunkSize, chunkSize * rowsPerMessage),
      );
    }
    await bench.case('with-every-offer', () => leavesTheSame(bench));
    if (bench.declaration.offers.includes('dedupeKey')) await bench.case('with-keys', () => keepsToTheKeys(bench));
    await bench.case('the-next-call', () => meansOneCall(bench));
    for (const chunkSize of [0, -1, Number.NaN]) {
      await bench.case(`chunk-size-${chunkSize}`, () => asDeclared(bench, messages(bench, size), chunkSize));
    }
  },
});

/** Sizes of chunks behind which a tail of one message is tried: some below what the backend has of its own. */
function sizesForATail({ declaration }: Bench): number[] {
  const own = declaredChunkRows(declaration);
  if (!Number.isFinite(own)) return [small, 128];
  return [small, Math.floor(own / 2), own - 1].filter((chunkSize) => chunkSize > 1);
}

/** Messages of three small chunks, the last of one message, as far as a batch may have so many. */
function ofSmallChunks({ declaration }: Bench): number {
  return Math.min(2 * small + 1, declaration.limits.maxItems ?? Number.POSITIVE_INFINITY);
}

/** With all that is offered, a batch leaves the same in every table, whatever the size of its chunks. */
async function leavesTheSame(bench: Bench): Promise<void> {
  const batch = withEveryOffer(bench, messages(bench, ofSmallChunks(bench)));
  const left = async (chunkSize: number | undefined): Promise<Left> => {
    const rig = await bench.open();
    const before = await rig.lease.snapshot();
    const by = await sendBatchWith(rig, batch, chunkSize === undefined ? {} : { chunkSize });
    const what = `a batch with all that is offered${chunkSize === undefined ? '' : `, with chunkSize ${chunkSize}`}`;
    mustSucceed(w, batch, by, what);
    return leftBy(bench, rig, before, [{ batch, by }], what);
  };
  const expected = await premise('a batch without a chunk size', () => left(undefined));
  const what = `a batch with all that is offered, with chunkSize ${small}`;
  await mustHaveLeft(bench, await left(small), expected, what, 'without a chunk size');
  bench.record('chunk sizes tried', 1);
}

/** Keys that are taken, by an earlier batch or in an earlier chunk, are taken for a batch in chunks as well. */
async function keepsToTheKeys(bench: Bench): Promise<void> {
  const rig = await bench.open();
  const batch = keyed(bench, ofSmallChunks(bench));
  const held = await hold(bench, rig, [batch[0]!, batch.at(-2) ?? batch[0]!].slice(0, batch.length));
  if (batch.length > small) batch[batch.length - 1] = structuredClone(batch[1]!);
  const written = await sendBatchWith(rig, batch, { chunkSize: small });
  const what = `a batch with chunkSize ${small}, some of whose keys are taken,`;
  await mustFollowThePolicy(bench, rig, held, batch, written, what);
  bench.record('chunk sizes tried', 1);
}

/** A call without a chunk size is not cut by that of the call before it. */
async function meansOneCall(bench: Bench): Promise<void> {
  const size = severalChunks(bench);
  // Small chunks take at least so many statements more than those of the backend's own.
  const more = size - Math.max(1, Math.ceil(size / declaredChunkRows(bench.declaration)));
  if (more === 0) return;
  const rig = await bench.open();
  const statementsOf = async (options: Record<string, unknown>): Promise<number> => {
    const batch = messages(bench, size);
    const watch = await rig.lease.watch();
    const written = await sendBatchWith(rig, batch, options);
    const { statements } = await watch.stop();
    await premise('a batch', () => mustSucceed(w, batch, written, 'it'));
    return working(statements);
  };
  const before = await statementsOf({});
  await statementsOf({ chunkSize: 1 });
  const after = await statementsOf({});
  if (after - before < more) return;
  throw new Violation(
    `a batch of ${size} without a chunk size was sent by ${count(before, 'statements')}, and by ${after} after a batch ` +
      'with chunkSize 1: a chunk size is for its own call alone',
  );
}

/** How many rows a batch of so many adds to the table that gets most of them. */
async function rowsOfTheLargestTable(bench: Bench, size: number): Promise<number> {
  return Math.max(...Object.values(await tablesWritten(bench, w, messages(bench, size))));
}

async function sameInChunks(bench: Bench, batch: Message[], chunkSize: number, mostRows: number): Promise<void> {
  const rig = await bench.open();
  const watch = await rig.lease.watch();
  const written = await sendBatchWith(rig, batch, { chunkSize });
  const { statements } = await watch.stop();
  const what = `a batch of ${batch.length} with chunkSize ${chunkSize}`;
  mustSucceed(w, batch, written, what);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, what);
  mustBeExact(bench, w, batch, rows, written, what);
  if (bench.declaration.givesUp.ids === undefined) await mustNameTheirRows(bench, rig, batch, written);
  mustKeepToTheSize(batch, statements, { chunkSize, mostRows }, what);
  bench.record('chunk sizes tried', 1);
  bench.record('statements seen', statements.length);
}

/** Fails when a statement changed more rows than messages of one chunk can be, or when there were too few statements. */
function mustKeepToTheSize(
  batch: readonly Message[],
  statements: readonly SeenStatement[],
  { chunkSize, mostRows }: { chunkSize: number; mostRows: number },
  what: string,
): void {
  const over = statements.find(({ rows }) => rows !== undefined && rows > mostRows);
  if (over) {
    throw new Violation(`${what}: one statement changed ${count(over.rows!, 'rows')}: ${over.text.slice(0, 120)}`);
  }
  const sent = working(statements);
  const least = Math.ceil(batch.length / chunkSize);
  if (sent < least) {
    throw new Violation(`${what} was sent by ${count(sent, 'statements')}; it takes ${least} to keep to the size`);
  }
}

/**
 * How many statements did something: one may write by a function that it calls, so reads count as well; what only frames
 * a transaction does not.
 */
function working(statements: readonly SeenStatement[]): number {
  return statements.filter(({ kind }) => !['begin', 'commit', 'rollback'].includes(kind)).length;
}

/** A size that is none is refused before any write, or means the default, as declared. */
async function asDeclared(bench: Bench, batch: Message[], chunkSize: number): Promise<void> {
  const rig = await bench.open();
  const written = await sendBatchWith(rig, batch, { chunkSize });
  const what = `a batch with chunkSize ${chunkSize}`;
  bench.record('bad chunk sizes', 1);
  if (bench.declaration.badChunkSize === 'default') {
    mustSucceed(w, batch, written, `${what}, which is declared to mean the default,`);
    mustBeExact(bench, w, batch, await mustHaveStoredAll(bench, w, rig, batch, what), written, what);
    return;
  }
  mustFail(w, batch, written, `${what}, which is declared to be refused,`);
  await mustHaveStoredNothing(bench, w, rig, batch, what);
  await premise('the same batch without a chunk size', async () => {
    mustSucceed(w, batch, await w.write(rig, batch), 'it');
  });
}
