import {
  failureText,
  mustFail,
  mustHaveStoredAll,
  mustHaveStoredNothing,
  mustSucceed,
  premise,
  unknownIn,
} from '../kernel/checks.ts';
import type { ArmedFault, Point, SeenStatement } from '../kernel/engine.ts';
import { type Bench, type Guard, guard, type Rig, Vacuous, Violation } from '../kernel/guard.ts';
import { count, cut, short } from '../kernel/print.ts';
import { severalChunks } from '../kernel/tables.ts';
import { mustBeTrue } from '../kernel/true-outcomes.ts';
import { claimedIds, failureOf, type Writes, type Written } from '../kernel/writes.ts';
import { statementsOf } from './plain-batch.ts';

/** Milliseconds that an aborted call has to settle in while the engine is held. */
const bound = 5000;
/** Milliseconds after which a call that has not heard of its signal is let go on, where that is not what is judged. */
const patience = 1000;
/** A batch where its size does not matter. */
const fewItems = 11;

export function abortTakesEffect<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/abort-takes-effect`,
    statement:
      'A call that is aborted while its write is held before its commit settles as failed although the engine is still held, and nothing of it is stored then or later.',
    needs: ['atomic', 'cancel', 'hold', 'trace'],
    proves: ['aborted while held'],
    async check(bench) {
      const items = w.items(bench, severalChunks(bench));
      let limit = bound;
      const aborts = async (step: Step, call: Aborted<Item>) => {
        const rig = await bench.open();
        const held = await hold(rig, call, step);
        const what = `a batch${call.how} that was aborted while it was held ${step.where}`;
        const waited = await held.abort(limit);
        await held.letGo();
        const written = await held.call;
        bench.record('aborted while held', 1);
        bench.record(
          `held ${step.where}${call.how}`,
          waited === undefined ? 'still waiting' : `settled after ${waited} ms, still held`,
        );
        await rig.quiet();
        if (waited === undefined) {
          const seconds = limit / 1000;
          // Who took no notice once need not be waited for as long again.
          limit = patience;
          throw new Violation(
            `${what} did not settle within ${seconds} s of its abort; when the engine was let go, it ${cameTo(w, written)}`,
          );
        }
        mustFail(w, call.items, written, what, { answerLost: step.isCommit });
        const afterwards = `${what}, once the engine was let go`;
        // Whether a commit that has left the subject reaches the engine is decided by what lies between them: who says
        // that it is unknown says the truth, whatever becomes of it.
        if (unknownIn(written)) await mustBeTrue(bench, w, rig, call.items, written, afterwards, { answerLost: true });
        else await mustHaveStoredNothing(bench, w, rig, call.items, afterwards);
      };
      for (const step of stepsBeforeCommit(await statementsOf(bench, w, items)))
        await bench.case(step.name, () => aborts(step, { items, how: '', write: w.write }));
      // What is written by another way may be deaf there.
      await bench.case('one-item', () =>
        aborts(atCommit, { items: w.items(bench, 1), how: ' of one', write: w.write }),
      );
      for (const { name, how, write } of (w.otherCalls?.(bench) ?? []).filter(({ blocks }) => !blocks))
        await bench.case(name, () => aborts(atCommit, { items, how: ` ${how}`, write }));
    },
  });
}

/** What is written by a call that is aborted, and how it is said behind `a batch`. */
interface Aborted<Item> {
  items: readonly Item[];
  how: string;
  write: Writes<Item>['write'];
}

function cameTo<Item>(w: Writes<Item>, written: Written): string {
  const failure = failureOf(written);
  return failure
    ? `failed (${failureText(failure)})`
    : `was stored as if nothing had happened: ${count(written.outcomes!.length, w.noun)}`;
}

export function abortedBeforeStartWritesNothing<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/aborted-before-start-writes-nothing`,
    statement: 'A call whose signal is aborted already sends no statement, fails, and stores nothing.',
    needs: ['cancel', 'trace'],
    proves: ['aborted calls', 'statements of the same batch without a signal'],
    async check(bench) {
      for (const size of [1, severalChunks(bench)]) {
        await bench.case(`size-${size}`, async () => {
          const rig = await bench.open();
          const items = w.items(bench, size);
          const watch = await rig.lease.watch();
          const written = await w.write(rig, items, { signal: AbortSignal.abort() });
          const { statements } = await watch.stop();
          bench.record('aborted calls', 1);
          const what = 'a batch whose signal was aborted before it began';
          if (statements.length > 0) {
            throw new Violation(
              `${what} sent ${count(statements.length, 'statements')}, the first of them ${textOf(statements[0]!)}`,
            );
          }
          mustFail(w, items, written, what);
          await mustHaveStoredNothing(bench, w, rig, items, what);
          await premise('the same batch without a signal', async () => {
            const control = await rig.lease.watch();
            mustSucceed(w, items, await w.write(rig, items), 'it');
            const seen = await control.stop();
            bench.record('statements of the same batch without a signal', seen.statements.length);
          });
        });
      }
    },
  });
}

export function cancelledIsAllOrNothing<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/cancelled-is-all-or-nothing`,
    statement:
      'Aborted at any step up to the acknowledgement of its commit, a batch is stored whole or not at all, and its outcome does not contradict what is stored.',
    needs: ['atomic', 'cancel', 'hold', 'trace'],
    proves: ['aborted while held'],
    async check(bench) {
      const items = w.items(bench, severalChunks(bench));
      for (const step of allSteps(await statementsOf(bench, w, items))) {
        await bench.case(step.name, async () => {
          const rig = await bench.open();
          const held = await hold(rig, { items, write: w.write }, step);
          const waited = await held.abort(patience);
          await held.letGo();
          const written = await held.call;
          bench.record('aborted while held', 1);
          await rig.quiet();
          const what = `a batch that was aborted ${step.where}`;
          const { stored } = await mustBeTrue(bench, w, rig, items, written, what, { answerLost: true });
          bench.record(
            `aborted ${step.where}`,
            `${waited === undefined ? 'went on' : `settled after ${waited} ms`}, ${count(stored, 'rows')}`,
          );
        });
      }
    },
  });
}

export function usableAfterAbort<Item>(w: Writes<Item>): Guard {
  return guard({
    id: `${w.contract}/usable-after-abort`,
    statement:
      'After an aborted call, and after one that is aborted once it has settled, the next batch on the same subject is stored whole and gets its own replies.',
    needs: ['cancel', 'hold', 'trace'],
    proves: ['aborted while held', 'next batches'],
    async check(bench) {
      const items = w.items(bench, fewItems);
      const steps = allSteps(await statementsOf(bench, w, items));
      for (const step of steps.filter(({ name }) => telling.has(name))) {
        await bench.case(step.name, async () => {
          const rig = await bench.open();
          const held = await hold(rig, { items, write: w.write }, step);
          const waited = await held.abort(patience);
          if (waited === undefined) await held.letGo();
          await held.call;
          bench.record('aborted while held', 1);
          await nextIsItsOwn(bench, w, rig, `the batch after one that was aborted ${step.where}`, () => held.letGo());
        });
      }
      await bench.case('before-its-start', async () => {
        const rig = await bench.open();
        await w.write(rig, items, { signal: AbortSignal.abort() });
        await nextIsItsOwn(bench, w, rig, 'the batch after one that was aborted before it began');
      });
      await bench.case('once-it-has-settled', async () => {
        const rig = await bench.open();
        const controller = new AbortController();
        const first = await w.write(rig, items, { signal: controller.signal });
        await premise('a batch with a signal', () => mustSucceed(w, items, first, 'it'));
        const next = w.items(bench, fewItems);
        const held = await hold(rig, { items: next, write: w.write }, atCommit);
        controller.abort();
        await held.letGo();
        const what = 'a batch that was running when the signal of the one before, which had settled, was aborted';
        mustSucceed(w, next, await held.call, what);
        await mustHaveStoredAll(bench, w, rig, next, what);
        await nextIsItsOwn(bench, w, rig, 'the batch after one during which the signal of an earlier one was aborted');
      });
    },
  });
}

/** Where the reply to the aborted call is still to come, and where its transaction is open. */
const telling = new Set(['first-statement', 'last-statement', 'acknowledgement']);

/** Writes another batch, and then `release`s what the one before was held by. */
async function nextIsItsOwn<Item>(
  bench: Bench,
  w: Writes<Item>,
  rig: Rig,
  what: string,
  release: () => Promise<void> = async () => {},
): Promise<void> {
  const items = w.items(bench, fewItems);
  const call = w.write(rig, items);
  await release();
  const written = await call;
  mustSucceed(w, items, written, what);
  const own = new Set((await mustHaveStoredAll(bench, w, rig, items, what)).map(({ id }) => id));
  const foreign = claimedIds(written).filter((id) => !own.has(id));
  if (bench.declaration.givesUp.ids === undefined && foreign.length > 0) {
    throw new Violation(
      `${what} got replies that are not its own: the ids ${short(foreign)} are not those of its rows`,
    );
  }
  bench.record('next batches', 1);
}

/** A moment of a batch at which it is held. */
interface Step {
  name: string;
  /** After `held` or `aborted`. */
  where: string;
  point: Point;
  /** What is held is the commit, or comes after it. */
  isCommit: boolean;
}

const atCommit: Step = { name: 'commit', where: 'at its commit', point: { commit: 'before-sent' }, isCommit: true };

/** The first statement of a batch, the last one before its commit, and the commit. */
function stepsBeforeCommit(statements: readonly SeenStatement[]): Step[] {
  const last = statements.length - (statements.at(-1)?.kind === 'commit' ? 1 : 0);
  if (last < 2) return [atCommit];
  return [
    { ...before(1, statements), name: 'first-statement' },
    ...(last > 2 ? [{ ...before(last, statements), name: 'last-statement' }] : []),
    atCommit,
  ];
}

/** These, one in the middle, and those from the sending of the commit to its acknowledgement. */
function allSteps(statements: readonly SeenStatement[]): Step[] {
  const early = stepsBeforeCommit(statements);
  const middle = Math.ceil(statements.length / 2);
  return [
    ...early.slice(0, 1),
    ...(middle > 1 && middle < statements.length - 1
      ? [{ ...before(middle, statements), name: 'middle-statement' }]
      : []),
    ...early.slice(1),
    { name: 'commit-sent', where: 'once its commit had been sent', point: { commit: 'after-sent' }, isCommit: true },
    {
      name: 'acknowledgement',
      where: 'before the acknowledgement of its commit was read',
      point: { commit: 'before-ack' },
      isCommit: true,
    },
  ];
}

function before(statement: number, statements: readonly SeenStatement[]): Omit<Step, 'name'> {
  const where = `before statement ${statement} of ${statements.length} (${textOf(statements[statement - 1]!)})`;
  return { where, point: { statement }, isCommit: false };
}

function textOf({ text }: SeenStatement): string {
  return cut(text.replace(/\s+/g, ' ').trim(), 40);
}

/** A call that is held at a step. */
interface Held {
  call: Promise<Written>;
  /** Aborts it; resolves to the milliseconds after which it settled, or to undefined when it has not within the limit. */
  abort(limit: number): Promise<number | undefined>;
  letGo(): Promise<void>;
}

/** Begins to write the items and waits until the step is reached. */
async function hold<Item>(
  rig: Rig,
  { items, write }: Pick<Aborted<Item>, 'items' | 'write'>,
  step: Step,
): Promise<Held> {
  const fault = await rig.lease.arm({ at: 'hold', point: step.point });
  const controller = new AbortController();
  const call = write(rig, items, { signal: controller.signal });
  call.catch(() => {});
  await mustReach(fault, call, step);
  return {
    call,
    async abort(limit) {
      const since = performance.now();
      controller.abort();
      return (await settlesWithin(call, limit)) ? Math.round(performance.now() - since) : undefined;
    },
    letGo: () => fault.disarm(),
  };
}

async function mustReach(fault: ArmedFault, call: Promise<Written>, step: Step): Promise<void> {
  const reached = await Promise.race([fault.reached!.then(() => true), call.then(() => false)]);
  if (!reached) throw new Vacuous(`the call settled before it could be held ${step.where}`);
}

async function settlesWithin(call: Promise<Written>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  return Promise.race([call.then(() => true), late]).finally(() => clearTimeout(timer));
}
