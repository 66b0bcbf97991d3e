import { expect, test } from 'vitest';
import type { MutantTools } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { sendBatching } from '../../send-batch/mutants/batches.ts';
import { messages } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import type { Message, SendBatchPort, SendOptions } from '../../send-batch/port.ts';
import { cancellingMutants } from './cancelling.ts';

const mutants = cancellingMutants(sendBatching);
const batch = messages(4);

/**
 * A subject that keeps its signal, on an engine that the test holds, behind the mutant of that id. `stored` has the
 * slots of what was stored.
 */
function behind(id: string) {
  const stored: unknown[] = [];
  const seen = { lies: 0 };
  let release!: () => void;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const honest = async (sent: readonly Message[], { signal }: SendOptions): Promise<ReportedOutcome[]> => {
    signal?.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    await Promise.race([held, aborted]);
    stored.push(...sent.map(({ body }) => body));
    return sent.map((_, i) => ({ stored: i }));
  };
  const tools = {
    lied: () => seen.lies++,
    hand: { snapshot: () => [...stored], restore: (to: unknown[]) => void stored.splice(0, stored.length, ...to) },
  } as unknown as MutantTools;
  const port = mutants.find((m) => m.id === id)!.wrap({ sendBatch: honest }, tools) as SendBatchPort;
  const sendBatch = (options: SendOptions = {}, sent: readonly Message[] = batch) =>
    (async () => port.sendBatch(sent, options))().catch((error: unknown) => error);
  return { stored, seen, release, sendBatch };
}

const failed = expect.objectContaining({ name: 'AbortError' });
const whole = batch.map((_, i) => ({ stored: i }));

/** Aborts a batch while the engine is held, then lets the engine go. */
async function abortedWhileHeld(id: string) {
  const subject = behind(id);
  const controller = new AbortController();
  const call = subject.sendBatch({ signal: controller.signal });
  controller.abort();
  subject.release();
  return { ...subject, came: await call };
}

test.each(['signal-ignored', 'signal-read-before-chunk-zero-only'])('%s stores what is aborted', async (id) => {
  const { came, stored, seen } = await abortedWhileHeld(id);
  expect(came).toEqual(whole);
  expect(stored).toHaveLength(4);
  expect(seen.lies).toBe(1);
});

test('settles-when-the-engine-lets-go undoes it then', async () => {
  const { came, stored, seen } = await abortedWhileHeld('settles-when-the-engine-lets-go');
  expect(came).toEqual(failed);
  expect(stored).toEqual([]);
  expect(seen.lies).toBe(1);
});

test('abort-between-chunks-keeps-the-first keeps a half', async () => {
  const { came, stored, seen } = await abortedWhileHeld('abort-between-chunks-keeps-the-first');
  expect(came).toEqual(failed);
  expect(stored).toEqual(batch.slice(0, 2).map(({ body }) => body));
  expect(seen.lies).toBe(1);
});

test('starts-anyway writes what was aborted before, and says that it failed', async () => {
  const { stored, seen, release, sendBatch } = behind('starts-anyway');
  release();
  expect(await sendBatch({ signal: AbortSignal.abort() })).toEqual(failed);
  expect(stored).toHaveLength(4);
  expect(seen.lies).toBe(1);
});

test('busy-connection-returned answers the next batch with the reply to the aborted one, and only that one', async () => {
  const { stored, seen, sendBatch } = await abortedWhileHeld('busy-connection-returned');
  expect(stored).toEqual([]);
  expect(await sendBatch()).toEqual(failed);
  expect(stored).toHaveLength(4);
  expect(await sendBatch()).toEqual(whole);
  expect(seen.lies).toBe(1);
});

test.each(mutants.map(({ id }) => id))('%s tells no lie of a call that is not aborted', async (id) => {
  for (const options of [{}, { signal: new AbortController().signal }]) {
    const { stored, seen, release, sendBatch } = behind(id);
    release();
    expect(await sendBatch(options)).toHaveLength(4);
    expect(stored).toHaveLength(4);
    expect(seen.lies).toBe(0);
  }
});

test.each(mutants.map(({ id }) => id).filter((id) => id !== 'signal-ignored' && id !== 'starts-anyway'))(
  '%s writes nothing of what was aborted before',
  async (id) => {
    const { stored, seen, release, sendBatch } = behind(id);
    release();
    expect(await sendBatch({ signal: AbortSignal.abort() })).toEqual(failed);
    expect(stored).toEqual([]);
    expect(seen.lies).toBe(0);
  },
);

test('signal-ignored-by-one-item is deaf in a batch of one, and hears in a larger one', async () => {
  for (const [size, came] of [
    [1, [{ stored: 0 }]],
    [4, failed],
  ] as const) {
    const { seen, release, sendBatch } = behind('signal-ignored-by-one-item');
    const controller = new AbortController();
    const call = sendBatch({ signal: controller.signal }, batch.slice(0, size));
    controller.abort();
    release();
    expect(await call).toEqual(came);
    expect(seen.lies).toBe(size === 1 ? 1 : 0);
  }
});

test('late-abort-hits-the-next lets the signal of a settled call end the one that is running', async () => {
  const { seen, release, sendBatch } = behind('late-abort-hits-the-next');
  release();
  const controller = new AbortController();
  await sendBatch({ signal: controller.signal });
  const next = sendBatch();
  controller.abort();
  expect(await next).toMatchObject({ message: 'the connection was closed by a signal' });
  expect(seen.lies).toBe(1);
  expect(await sendBatch()).toHaveLength(4);
});
