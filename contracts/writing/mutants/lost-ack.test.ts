import { expect, test } from 'vitest';
import type { MutantTools } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { sendBatching } from '../../send-batch/mutants/batches.ts';
import { messages } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import { lostAckMutants as ofMessages } from '../../send-batch/mutants/lost-ack.ts';
import type { SendBatchPort, SendOptions } from '../../send-batch/port.ts';
import { lostAckMutants } from './lost-ack.ts';

const mutants = [...ofMessages, ...lostAckMutants(sendBatching)];
const lost = Object.assign(new Error('the answer was lost'), { unknown: true });
const batch = messages(2);

/** A subject that answers each call by the next of these replies, behind the mutant of that id. */
function behind(id: string, replies: (() => ReportedOutcome[])[]) {
  const seen = { calls: 0, lies: 0 };
  const subject: SendBatchPort = { sendBatch: async () => replies[seen.calls++]!() };
  const tools = { lied: () => seen.lies++ } as unknown as MutantTools;
  const port = mutants.find((m) => m.id === id)!.wrap(subject, tools) as SendBatchPort;
  const sendBatch = async (options: SendOptions = {}) => port.sendBatch(batch, options);
  return { seen, sendBatch };
}

const thrown = () => {
  throw lost;
};
const told = () => batch.map(() => ({ unknown: lost }));
const stored = () => batch.map((_, i) => ({ stored: i }));
const refused = () => {
  throw new Error('refused');
};

test.each([
  ['thrown', thrown],
  ['told', told],
])('resend-after-lost-ack sends again what is unknown, %s', async (_how, unknown) => {
  const { seen, sendBatch } = behind('resend-after-lost-ack', [unknown, stored]);
  expect(await sendBatch()).toEqual(stored());
  expect(seen).toEqual({ calls: 2, lies: 1 });
});

test.each([
  ['thrown', thrown],
  ['told', told],
])('cut-claims-success calls stored what is unknown, %s', async (_how, unknown) => {
  const { seen, sendBatch } = behind('cut-claims-success', [unknown]);
  expect(await sendBatch()).toEqual([{ stored: expect.any(Number) }, { stored: expect.any(Number) }]);
  expect(seen).toEqual({ calls: 1, lies: 1 });
});

test('unknown-told-as-failed says failed, in the way of the subject, and not that an answer was lost', async () => {
  const thrower = behind('unknown-told-as-failed', [thrown]);
  const failure = await thrower.sendBatch().catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: expect.stringContaining('lost') });
  expect(failure).not.toHaveProperty('unknown');
  const teller = behind('unknown-told-as-failed', [told]);
  expect(await teller.sendBatch()).toEqual(Array(2).fill({ failed: expect.any(Error) }));
  expect([thrower.seen.lies, teller.seen.lies]).toEqual([1, 1]);
});

test.each(mutants.map(({ id }) => id))('%s tells no lie of other calls', async (id) => {
  const { seen, sendBatch } = behind(id, [stored, refused, thrown]);
  expect(await sendBatch()).toEqual(stored());
  await expect(sendBatch()).rejects.toThrow('refused');
  await expect(sendBatch({ signal: new AbortController().signal })).rejects.toBe(lost);
  expect(seen.lies).toBe(0);
});
