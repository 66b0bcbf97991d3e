import { describe, expect, it } from 'vitest';
import { sendBatch } from '../contracts/send-batch/index.ts';
import { testOptions } from './fixtures/judging.ts';
import { run } from './run.ts';

/** The guards that all others rest on. */
const foundation = sendBatch.guards.filter((guard) => guard.foundation).map(({ id }) => id);
const module = new URL('./fixtures/spoiled-queues.ts', import.meta.url).href;

describe('a small queue, spoiled as queues have been, is red where its fault belongs', () => {
  it.each([
    ['idsSorted', 'send-batch/ids-in-caller-order', 'id 10: the row of slot 9'],
    ['idsReversed', 'send-batch/ids-in-caller-order', 'the row of slot 1'],
    ['optionDropped', 'send-batch/metadata-round-trips', 'expected route = "route-'],
    ['firstOptionsForAll', 'send-batch/metadata-round-trips', '256 of 257 messages are not stored as sent'],
    ['commitsEvery25', 'send-batch/nothing-persists-after-failure', 'are stored although the batch failed'],
    ['errorSwallowed', 'send-batch/every-outcome-reports-the-failure', 'declared to throw, but it returned'],
    ['lastDroppedAbove100', 'send-batch/ids-in-caller-order', 'a batch of 257: 1 of 257 messages are not stored'],
    ['cutAt25', 'send-batch/ids-in-caller-order', 'a batch of 257: 232 of 257 messages are not stored'],
    ['oneOutcomeTooFew', 'send-batch/ids-in-caller-order', '0 outcomes for 1 message'],
    ['tooLargeRefusedAlone', 'send-batch/past-the-limits', '2 of 3 messages are stored although the batch failed'],
    ['transactionLeftOpen', 'send-batch/backend-usable-after-failure', 'the subject has left a transaction open'],
  ])('%s: %s', async (name, guard, message) => {
    const options = { backends: [{ url: module, export: name }], paths: ['sqlite/shared'], timeout: 5000, runs: 10 };
    const report = await run(testOptions({ ...options, guards: [...foundation, guard] }), []);
    const verdict = report.verdicts.find((v) => v.guard === guard)!;
    expect(verdict).toMatchObject({ verdict: 'violated' });
    expect(verdict.message).toContain(message);
    expect(report.exitCode).toBe(1);
  });

  it('idsSorted: what else is to be said of large batches is judged all the same', async () => {
    const guards = ['send-batch/ids-in-caller-order', 'send-batch/no-cliff*'];
    const options = { backends: [{ url: module, export: 'idsSorted' }], paths: ['sqlite/shared'], guards };
    const { verdicts } = await run(testOptions(options), []);
    expect(Object.fromEntries(verdicts.map(({ guard, verdict }) => [guard, verdict]))).toEqual({
      'send-batch/ids-in-caller-order': 'violated',
      'send-batch/no-cliff-at-large-sizes': 'upheld',
    });
  });

  it('endlessLoop: setup/batch-is-seen, and nothing else is judged', async () => {
    const backends = [{ url: module, export: 'endlessLoop' }];
    const { verdicts, exitCode } = await run(testOptions({ backends, paths: ['sqlite/shared'], timeout: 5000 }), []);
    expect(verdicts.filter(({ verdict }) => verdict === 'violated')).toMatchObject([
      { guard: 'setup/batch-is-seen', message: expect.stringContaining('its thread answers no more: a loop without') },
    ]);
    expect(exitCode).toBe(3);
  });
});
