import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';

const judge = fileURLToPath(new URL('./fixtures/judge-that-is-killed.ts', import.meta.url));

test.each(['neverSettles', 'loop'])('a process host in %s ends when its judge is killed', async (member) => {
  const child = spawn(process.execPath, [judge, member], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const { value: host } = JSON.parse(String(line)) as { value: number };
  expect(isAlive(host)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'close');
  await vi.waitFor(() => expect(isAlive(host)).toBe(false), { timeout: 50_000, interval: 20 });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // Where nobody collects it, a dead process stays in the table as a zombie.
  const state = `/proc/${pid}/stat`;
  return !existsSync(state) || !/\) Z /.test(readFileSync(state, 'utf8'));
}
