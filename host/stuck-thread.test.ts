import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('a thread that is inside native code is left behind, and keeps the judge from nothing', async () => {
  const judge = spawn(process.execPath, [
    fileURLToPath(new URL('./fixtures/judge-with-a-stuck-thread.ts', import.meta.url)),
  ]);
  onTestFinished(() => void judge.kill('SIGKILL'));
  const [output, [code]] = await Promise.all([text(judge.stdout), once(judge, 'close')]);
  expect({ output, code }).toEqual({ output: 'ended\n', code: 3 });
});
