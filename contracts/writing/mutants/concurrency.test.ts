import { expect, test } from 'vitest';
import type { Edit } from '../../kernel/mutant.ts';
import { sendBatching } from '../../send-batch/mutants/batches.ts';
import { messages, TestSubject } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import type { Message, SendBatchPort } from '../../send-batch/port.ts';
import { concurrencyMutants } from './concurrency.ts';

const refused = tokenOf(99);

/** A nonce as the judge's own bodies carry one. */
function tokenOf(n: number): string {
  return `ctax1-${String(n).padStart(2, '0')}`;
}

/** A store that refuses one message, behind the mutant. */
function shared() {
  const mutant = concurrencyMutants(sendBatching).find(({ id }) => id === 'many-share-a-transaction')!;
  const store = { bodies: [] as unknown[], lies: 0 };
  const subject: SendBatchPort = {
    async sendBatch(messages) {
      if (messages.some(({ body }) => body === refused)) throw new Error('refused by the engine');
      store.bodies.push(...messages.map(({ body }) => body));
      return messages.map(() => ({ stored: 1 }));
    },
  };
  const port = mutant.wrap(subject, {
    site: { provider: 'none', mode: 'none' },
    lied: () => {
      store.lies += 1;
    },
    hand: {
      snapshot() {},
      restore() {},
      edit(change: Edit) {
        store.bodies = store.bodies.filter((body) => change({ body }, 'messages') !== 'remove');
      },
    },
    later: (work) => void setImmediate(work),
    atOpen() {},
    atClose() {},
  }) as SendBatchPort;
  const send = async (...messages: Message[]) => port.sendBatch(messages, {});
  return { store, send };
}

test.each([
  [10, 0],
  [9, 9],
])('many-share-a-transaction: beside %i others, a batch that is refused leaves %i of them', async (others, left) => {
  const { store, send } = shared();
  await send({ body: tokenOf(98) });
  const calls = Array.from({ length: others }, (_, n) => send({ body: tokenOf(n) }));
  await expect(Promise.all([...calls, send({ body: refused })])).rejects.toThrow('refused by the engine');
  expect(store.bodies).toHaveLength(1 + left);
  expect(store.lies).toBe(others - left);
});

test('joins-the-neighbours-transaction undoes what another batch has stored meanwhile', async () => {
  const subject = new TestSubject('joins-the-neighbours-transaction');
  subject.refuse('boom');
  const [failed, other] = await Promise.all([
    subject.sendBatch(messages(6).with(4, { body: 'boom' })),
    subject.sendBatch(messages(2)),
  ]);
  expect(failed).toHaveProperty('threw');
  expect(subject.bodiesById(other)).toEqual([undefined, undefined]);
  expect(subject.lies).toBe(1);
});
