import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test as it, onTestFinished } from 'vitest';
import { makeDirectory } from './directory.ts';
import { signUp, WaitingList } from './waiting-list.ts';

/** A list of which it is known how many threads can wait at once. */
function listFor(threads?: number): WaitingList {
  const directory = makeDirectory();
  const list = new WaitingList(join(directory, 'list'), threads === undefined ? undefined : () => threads);
  onTestFinished(() => {
    list.stop();
    rmSync(directory, { recursive: true });
  });
  return list;
}

it('is waited for no longer once every thread that can come waits', async () => {
  const list = listFor(1);
  const both = list.holds(2);
  signUp(list.path, 1);
  await both;
  await list.holds(3);
});

it.for([2, undefined])('is waited for while a thread can still come (of %s)', async (threads) => {
  const list = listFor(threads);
  let came = false;
  const both = list.holds(2).then(() => {
    came = true;
  });
  signUp(list.path, 1);
  await list.holds(1);
  expect(came).toBe(false);
  signUp(list.path, 2);
  await both;
});
