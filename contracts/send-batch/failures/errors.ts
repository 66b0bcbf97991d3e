import { failureText, mustFail, mustHaveStoredAll, mustSucceed, premise, unknownIn } from '../../kernel/checks.ts';
import { type AbortKind, abortKinds, type Watched } from '../../kernel/engine.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { within } from '../../kernel/lined-up.ts';
import { type Failure, failureChain, failureMentions } from '../../kernel/outcome.ts';
import { sameJson } from '../../kernel/print.ts';
import { positions, rowAt, severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { armIdentity } from '../ids/identities.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';

export const originalErrorSurvivesRollback: Guard = guard({
  id: 'send-batch/original-error-survives-rollback',
  statement: 'When the rollback fails as well, the error that is reported still carries or causes the first one.',
  needs: ['atomic', 'rowFault', 'rollbackFault', 'trace'],
  proves: ['rollbacks failed', 'first error', 'second error'],
  async check(bench) {
    const size = severalChunks(bench);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, messages(bench, size)))[0]!;
    let failed = 0;
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const batch = messages(bench, size);
        const row = await rig.lease.arm({ at: 'row', table, nth: rowAt(slot, size, rows), kind: 'trigger' });
        const rollback = await rig.lease.arm({ at: 'rollback' });
        const watch = await rig.lease.watch();
        const written = await w.write(rig, batch);
        const watched = await watch.stop();
        const { count } = await rollback.sprung();
        if (count === 0) return;
        failed += count;
        bench.record('rollbacks failed', count);
        bench.record('first error', watched.statements.find((s) => s.failed !== undefined)?.failed ?? row.nonce);
        bench.record('second error', secondError(watched));
        mustSpeakOf(written, row.nonce);
      });
    }
    if (failed === 0) throw new NotApplicable('backend', 'it sends no rollback when the engine has refused a row');
  },
});

/** How the rollback ended: by an error of the driver's, or by what was done to its connection. */
function secondError({ statements, interference }: Watched): string {
  const rollback = statements.findLast(({ kind, failed }) => kind === 'rollback' && failed !== undefined);
  return rollback?.failed ?? interference?.at(-1)?.text ?? 'the rollback was refused';
}

function mustSpeakOf(written: Written, nonce: string): void {
  const what = 'a batch whose row the engine refused, and whose rollback then failed,';
  const failures = written.threw
    ? [written.threw]
    : (written.outcomes ?? []).map((outcome) => failureOf({ ...written, outcomes: [outcome] }));
  if (failures.length === 0) throw new Violation(`${what} brought neither an error nor outcomes`);
  for (const [slot, failure] of failures.entries()) {
    if (!failure) throw new Violation(`${what} was reported as a success in outcome ${slot}`);
    if (failureMentions(failure, nonce)) continue;
    throw new Violation(
      `${what} reported "${failureText(failure)}", which neither carries nor is caused by the first error (${nonce})`,
    );
  }
}

export const errorKeepsItsClass: Guard = guard({
  id: 'send-batch/error-keeps-its-class',
  level: 'should',
  statement: 'A batch calls an error retryable or permanent as the single path does.',
  needs: ['rowFault'],
  // Where a lock is waited for, that takes seconds.
  onceForVariant: true,
  proves: ['failures compared', 'classes'],
  async check(bench) {
    const trial = await bench.open();
    if (!trial.subject.members.includes('send')) throw new NotApplicable('backend', 'it has no single path');
    const size = severalChunks(bench);
    const [table, rows] = Object.entries(await tablesWritten(bench, w, messages(bench, size), trial))[0]!;
    const classes = new Set<string>();
    const leftOut: string[] = [];
    const compare = (what: string, single: Failure | undefined, batch: Failure | undefined) => {
      if (!single || !batch) return;
      bench.record('failures compared', 1);
      const [expected, found] = [classOf(single), classOf(batch)];
      if (expected !== 'of no class') classes.add(`${what}: ${expected}`);
      if (expected === found) return;
      throw new Violation(
        `after ${what} the error of a batch is ${found} (${failureText(batch)}); ` +
          `that of a single send is ${expected} (${failureText(single)})`,
      );
    };
    await bench.case('unreadable-body', async () => {
      const [rig, batch] = [await bench.open(), messages(bench, size)];
      const bad = w.unreadable(batch[0]!);
      const single = failureOf(await w.writeOne(rig, bad));
      compare('an unreadable body', single, failureOf(await w.write(rig, batch.with(size - 1, bad))));
    });
    for (const kind of trial.lease.rowFaults) {
      await bench.case(kind, async () => {
        const [alone, together] = [await bench.open(), await bench.open()];
        await alone.lease.arm({ at: 'row', table, nth: 1, kind });
        await together.lease.arm({ at: 'row', table, nth: Math.ceil(rows / 2), kind });
        const single = failureOf(await w.writeOne(alone, messages(bench, 1)[0]!));
        compare(`a row that fails by ${kind}`, single, failureOf(await w.write(together, messages(bench, size))));
      });
    }
    if (bench.facts.lacks.abort === undefined) {
      for (const by of abortKinds) {
        await bench.case(by, async () => {
          const aborted = async (send: (rig: Rig) => Promise<Written>) => {
            const rig = await bench.open();
            const fault = await rig.lease.arm({ at: 'abort', by });
            const written = await send(rig);
            const { count } = await fault.sprung();
            await fault.disarm();
            return count > 0 ? written : undefined;
          };
          const single = await aborted((rig) => w.writeOne(rig, messages(bench, 1)[0]!));
          const batch = single && (await aborted((rig) => w.write(rig, messages(bench, size))));
          if (!single || !batch) return;
          const why = endsSession[by] ? whyNoMatch(single, batch) : undefined;
          if (why === undefined) compare(`an abort (${by})`, failureOf(single), failureOf(batch));
          else leftOut.push(`${by}: ${why}`);
        });
      }
    } else if (bench.facts.lacks.lock === undefined) {
      await bench.case('locked-out', async () => {
        const single = await lockedOut(bench, (rig) => w.writeOne(rig, messages(bench, 1)[0]!));
        const batch = single && (await lockedOut(bench, (rig) => w.write(rig, messages(bench, size))));
        compare("another session's lock", single, batch);
      });
    }
    if (leftOut.length > 0) bench.record('not compared', leftOut.join('; '));
    if (classes.size === 0)
      throw new NotApplicable('backend', 'it calls no failure of a single send retryable or permanent');
    bench.record('classes', [...classes].join(', '));
  },
});

/** Which aborts take the connection with them. */
const endsSession: Record<AbortKind, boolean> = {
  'statement-timeout': false,
  'lock-timeout': false,
  'idle-timeout': true,
  terminated: true,
};

/**
 * Why two calls that lost their connections cannot be compared: whether a caller meets the server's last word or the
 * driver's own, and whether he still knows what became of his commit, depends on the moment.
 */
function whyNoMatch(single: Written, batch: Written): string | undefined {
  if (unknownIn(single) || unknownIn(batch)) return 'what became of one of the calls is unknown';
  const failures = [failureOf(single), failureOf(batch)];
  if (failures.some((failure) => failure && classOf(failure) === 'of no class'))
    return 'one of the errors has no class';
  const [one, other] = failures.map((failure) => failure && rootOf(failure));
  return one === other ? undefined : `one call met ${one ?? 'no error'}, the other ${other ?? 'no error'}`;
}

/** What went wrong at first, by the code of the error where it has one. */
function rootOf(failure: Failure): string {
  const root = failureChain(failure).findLast(({ code }) => code !== undefined) ?? failureChain(failure).at(-1)!;
  return root.code ?? root.message;
}

/** Milliseconds after which a subject that waits for a lock will not give it up. */
const patience = 5000;

/** How a call fails while another session holds the lock that it needs; undefined where it waits for the lock. */
async function lockedOut(bench: Bench, send: (rig: Rig) => Promise<Written>): Promise<Failure | undefined> {
  const rig = await bench.open();
  const lock = await rig.lease.arm({ at: 'lock' });
  const writing = send(rig);
  await within(patience, writing);
  await lock.disarm();
  return failureOf(await writing);
}

/** What the backend itself says of a failure, or of what caused it. */
function classOf(failure: Failure): 'retryable' | 'permanent' | 'of no class' {
  const said = failureChain(failure).find(({ retryable }) => retryable !== undefined)?.retryable;
  if (said === undefined) return 'of no class';
  return said ? 'retryable' : 'permanent';
}

/** An identity far above those that a new table gives out, and far below the largest. */
const taken = 100_000n;

export const foreignConflictIsAnError: Guard = guard({
  id: 'send-batch/foreign-conflict-is-an-error',
  statement: 'When the next identity is taken by another row, the batch fails; that message is not silently skipped.',
  needs: ['ids', 'identityStart'],
  proves: ['batches that met a taken identity'],
  async check(bench) {
    const size = severalChunks(bench);
    const tables = Object.keys(await tablesWritten(bench, w, messages(bench, size)));
    let met = 0;
    for (const { name, slot } of positions(bench, size)) {
      await bench.case(name, async () => {
        const rig = await bench.open();
        const before = await takeIdentity(bench, rig, tables);
        await armIdentity(rig, tables, { start: taken - BigInt(slot), step: 1 });
        const batch = messages(bench, size);
        const written = await w.write(rig, batch);
        const what = `a batch whose message ${slot} would get the id of another row (${taken})`;
        const came = await mustBeTrue(bench, w, rig, batch, written, what);
        if (came.failed) {
          met += 1;
          bench.record('batches that met a taken identity', 1);
          if (bench.declaration.givesUp.atomic === undefined) mustFail(w, batch, written, what);
        }
        await mustBeThereStill(bench, rig, before);
      });
    }
    if (met === 0) throw new NotApplicable('engine', 'it passes over an identity that is taken');
  },
});

/** Stores a row that has the identity, and returns what it holds. */
async function takeIdentity(bench: Bench, rig: Rig, tables: readonly string[]): Promise<Record<string, unknown>> {
  await armIdentity(rig, tables, { start: taken, step: 1 });
  return premise('the row that takes an identity beforehand', async () => {
    const one = messages(bench, 1);
    mustSucceed(w, one, await w.write(rig, one), 'it');
    const [row] = await mustHaveStoredAll(bench, w, rig, one, 'it');
    if (row!.id !== String(taken)) {
      throw new NotApplicable('backend', `its ids do not follow the identity of a table (${row!.id})`);
    }
    return row!.fields;
  });
}

async function mustBeThereStill(bench: Bench, rig: Rig, before: Record<string, unknown>): Promise<void> {
  const row = (await w.stored(bench, rig)).find(({ id }) => id === String(taken));
  if (!row) throw new Violation(`the row that had the id ${taken} before the batch is gone`);
  if (!sameJson(row.fields, before)) {
    throw new Violation(`the row that had the id ${taken} before the batch now holds other values`);
  }
}
