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
import { mustNameTheirRows } from '../ids/naming.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendBatchWith, sendWrites as w } from '../writes.ts';

/** Messages in a batch. */
const usual = 257;
/** A chunk size that no batch comes up to. */
const huge = 1_000_000_000;

export const chunkSizeOption: Guard = guard({
  id: 'send-batch/chunk-size-option',
  level: 'should',
  statement:
    'A chunk size never changes what is stored and reported; no statement carries more rows; 0, negative and NaN are as declared.',
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
    for (const chunkSize of [0, -1, Number.NaN]) {
      await bench.case(`chunk-size-${chunkSize}`, () => asDeclared(bench, messages(bench, size), chunkSize));
    }
  },
});

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
  // A statement may write by a function that it calls, so reads count as well; what only frames a transaction does not.
  const working = statements.filter(({ kind }) => !['begin', 'commit', 'rollback'].includes(kind)).length;
  const least = Math.ceil(batch.length / chunkSize);
  if (working < least) {
    throw new Violation(`${what} was sent by ${count(working, 'statements')}; it takes ${least} to keep to the size`);
  }
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
