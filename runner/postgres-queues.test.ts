import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { postgres } from '../providers/postgres/index.ts';
import type { Engine } from '../providers/provider.ts';
import { openPath, testOptions } from './fixtures/judging.ts';
import { judge } from './judge.ts';
import type { Verdict } from './report.ts';
import { run } from './run.ts';

const module = new URL('./fixtures/postgres-queues.ts', import.meta.url).href;

const optionsFor = (name: string) =>
  testOptions({ backends: [{ url: module, export: name }], runs: 2, timeout: 60_000 });

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

/** Judges one of the queues by one guard. */
async function judged(name: string, guard: string): Promise<Verdict> {
  const { context, close } = await openPath(optionsFor(name), engine);
  try {
    return await judge(sendBatch.guards.find(({ id }) => id === guard)!, context);
  } finally {
    await close();
  }
}

interface Fault {
  name: string;
  guard: string;
  message: string;
  /** Cases of the guard that show where the fault lies, and where it does not. */
  red: string[];
  green: string[];
}

const faults: Fault[] = [
  {
    // 257 messages make three chunks: the last one is the third.
    name: 'commitsBeforeTheLastChunk',
    guard: 'send-batch/nothing-persists-after-failure',
    message: 'messages are stored although the batch failed',
    red: [
      'jobs-trigger-full-last-chunk-first',
      'jobs-trigger-full-last-chunk-middle',
      'jobs-trigger-full-last-chunk-last',
    ],
    green: [
      'jobs-trigger-full-first-chunk-first',
      'jobs-trigger-full-first-chunk-last',
      'jobs-trigger-full-second-chunk-last',
    ],
  },
  {
    name: 'idsZippedByPosition',
    guard: 'send-batch/ids-in-caller-order',
    message: 'ids do not name their own message',
    red: ['size-11', 'size-101', 'size-5000', 'on-a-filled-table'],
    green: ['size-1'],
  },
  {
    name: 'denseIds',
    guard: 'send-batch/ids-survive-any-step',
    message: 'first in slot 1: id 1002: no such row',
    red: ['steps-by-three'],
    green: [],
  },
  {
    name: 'idsThroughADouble',
    guard: 'send-batch/ids-are-lossless',
    message: 'first in slot 0: id 9007199254740992: no such row',
    red: [],
    green: [],
  },
  {
    name: 'processClockInBatches',
    guard: 'send-batch/clock-is-the-declared-one',
    message: "the clock is declared to be the engine's",
    red: ['batch'],
    green: ['single'],
  },
  {
    name: 'localTimeOfTheProcess',
    guard: 'send-batch/time-is-exact',
    message: '9 of 9 messages are not stored as sent',
    red: ['process-in-another-zone'],
    green: [],
  },
  {
    name: 'localTimeOfTheSession',
    guard: 'send-batch/time-is-exact',
    message: '9 of 9 messages are not stored as sent',
    red: ['session-in-another-zone'],
    green: ['milliseconds', 'process-in-another-zone'],
  },
  {
    name: 'sendsAgainOnReconnect',
    guard: 'send-batch/lost-ack-is-all-or-nothing',
    message: '514 rows are stored of 257 messages; it has to be each of them once, or none',
    red: ['after-sent', 'before-ack'],
    green: ['in-the-middle', 'before-sent'],
  },
  {
    name: 'forgetsTheSignal',
    guard: 'send-batch/abort-takes-effect',
    message: 'did not settle within 5 s of its abort; when the engine was let go, it was stored',
    red: ['first-statement', 'last-statement', 'commit'],
    green: [],
  },
  {
    name: 'acknowledgesBeforeTheLog',
    guard: 'send-batch/acknowledged-survives-crash',
    message: '11 of 11 acknowledged messages are gone after the engine was killed within',
    red: ['once-acknowledged'],
    green: [],
  },
  {
    name: 'keepsAStraggler',
    guard: 'send-batch/nothing-arrives-late',
    message: 'jobs went from 0 rows to 1',
    red: ['after-a-refused-row'],
    green: [],
  },
  {
    name: 'leavesAStatementBehind',
    guard: 'send-batch/nothing-arrives-late',
    message: 'jobs went from 0 rows to 1',
    red: ['after-a-refused-first-row'],
    green: ['after-a-success', 'after-an-unreadable-item'],
  },
  {
    name: 'sleepsInsideTheServer',
    guard: 'send-batch/nothing-arrives-late',
    message:
      'when its call had settled, the engine was still at what it had begun during the call: "COMMIT" took effect',
    red: ['after-a-success'],
    green: ['after-a-refused-first-row', 'after-an-unreadable-item'],
  },
  {
    name: 'neverComesToAnEnd',
    guard: 'send-batch/nothing-arrives-late',
    message: 'when its call had settled, the subject did not come to an end within',
    red: ['after-a-refused-first-row'],
    green: ['after-a-success', 'after-an-unreadable-item'],
  },
  {
    name: 'flashesOneRow',
    guard: 'send-batch/no-partial-visibility',
    message: 'a reader counted rows: 1 in jobs; before',
    red: ['tables-full'],
    green: [],
  },
  {
    name: 'neverCommits',
    guard: 'send-batch/nothing-persists-after-failure',
    message: 'does the backend open the site that it was given, and does it commit before its call returns?',
    red: [],
    green: [],
  },
  {
    name: 'errorSwallowed',
    guard: 'send-batch/every-outcome-reports-the-failure',
    message: 'declared to throw, but it returned',
    red: ['first-chunk-first', 'last-chunk-last'],
    green: [],
  },
];

describe('a small queue on PostgreSQL, spoiled as queues have been, is red where its fault belongs', () => {
  it.each(faults)('$name: $guard', async ({ name, guard, message, red, green }) => {
    const verdict = await judged(name, guard);
    expect(verdict).toMatchObject({ verdict: 'violated', level: 'must' });
    expect(verdict.message).toContain(message);
    expect(Object.fromEntries(verdict.cases.map((c) => [c.name, c.verdict]))).toMatchObject({
      ...Object.fromEntries(red.map((name) => [name, 'violated'])),
      ...Object.fromEntries(green.map((name) => [name, 'upheld'])),
    });
  });

  it('loopThatClaimsBatches: of all guards, send-batch/is-one-round-trip-per-chunk alone', async () => {
    const { verdicts } = await run(optionsFor('loopThatClaimsBatches'), []);
    const others = verdicts.filter((v) => v.verdict !== 'upheld' && v.verdict !== 'not-applicable');
    expect(others.map(({ guard, verdict }) => [guard, verdict])).toEqual([
      ['send-batch/is-one-round-trip-per-chunk', 'violated'],
    ]);
    expect(others[0]!.message).toBe(
      "the promise 'batched' is declared and not kept: 64 messages took 66 round trips where 16 took 18, 1.00 more " +
        "for each; send them together, or give it up (givesUp: { batched: 'why' })",
    );
  }, 180_000);

  it.each(['send-batch/ids-are-lossless', 'send-batch/ids-survive-any-step'])(
    'idsZippedByPosition: what else is to be said of ids is judged all the same, by %s',
    async (guard) => {
      expect(await judged('idsZippedByPosition', guard)).toMatchObject({ verdict: 'upheld', message: null });
    },
  );

  it('correct: not even there', async () => {
    expect(await judged('correct', 'send-batch/is-one-round-trip-per-chunk')).toMatchObject({ verdict: 'upheld' });
  });
});
