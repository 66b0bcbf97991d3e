import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The running server's process, by the file in its data directory, if it really is the server of that directory. */
function postmasterOf(dataDirectory: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8'), 10);
    // The file of a server that was killed stays, and its number may be another process by now.
    return commandLine(pid).includes(dataDirectory) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function commandLine(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

/** Ends the server of a data directory, if one is running; its data are not saved. */
export async function endServerOf(dataDirectory: string): Promise<void> {
  const pid = postmasterOf(dataDirectory);
  if (pid === undefined) return;
  signal(pid, 'SIGQUIT');
  if (await isGoneWithin(pid, 5000)) return;
  signal(pid, 'SIGKILL');
  await isGoneWithin(pid, 5000);
}

/**
 * Kills a process and its children in one go: it is halted first, so that it can make no more of them. All signals have
 * been sent when this returns; it resolves with the processes when they are gone.
 */
export async function killWithChildren(pid: number): Promise<number[]> {
  signal(pid, 'SIGSTOP');
  const doomed = [pid, ...childrenOf(pid)];
  for (const one of doomed) signal(one, 'SIGKILL');
  for (const one of doomed) {
    if (!(await isGoneWithin(one, 5000))) throw new Error(`process ${one} was killed and is not gone after 5 s`);
  }
  return doomed;
}

function childrenOf(parent: number): number[] {
  try {
    // Where the kernel keeps a list, no process has to be looked at.
    const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {}
  if (process.platform !== 'linux') {
    const table = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' });
    return table
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, ppid]) => ppid === parent)
      .map(([pid]) => pid!);
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statusOf(Number(name))?.parent === parent)
    .map(Number);
}

function statusOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return { state: state!, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Whether a process is there and does something. */
export function isRunning(pid: number): boolean {
  // What has ended and was not yet waited for by its parent holds nothing any more.
  if (process.platform === 'linux') return !['Z', 'X', undefined].includes(statusOf(pid)?.state);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isGoneWithin(pid: number, milliseconds: number): Promise<boolean> {
  const end = performance.now() + milliseconds;
  while (isRunning(pid)) {
    if (performance.now() > end) return false;
    await pause(5);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause;
  }
}
