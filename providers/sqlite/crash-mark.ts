import { existsSync, readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import type { Sprung } from '../../contracts/kernel/engine.ts';
import { monotonicMs } from '../clock.ts';

/** That a process was killed, and when by the system's monotonic clock. */
export interface Killed {
  pids: number[];
  at: number;
}

/** What a process leaves that kills itself. */
interface Word extends Killed {
  sprung: Sprung;
}

/** Kills this process at once, unless one has died so already; the file keeps what it had counted. */
export function dieLeaving(path: string, sprung: Sprung): void {
  if (statSync(path).size > 0) return;
  writeFileSync(path, JSON.stringify({ pids: [process.pid], at: monotonicMs(), sprung } satisfies Word));
  process.kill(process.pid, 'SIGKILL');
}

/** The file in which a process that kills itself leaves word: its memory goes with it. */
export class CrashMark {
  readonly path: string;
  /** Resolves when a process has left word. */
  readonly written: Promise<void>;
  /** Ends the watch over the file. */
  readonly stop: () => void;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.written = promise;
    const watcher = watch(path, { persistent: false }, () => {
      if (this.read()) resolve();
    });
    this.stop = () => watcher.close();
  }

  read(): Word | undefined {
    const word = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    return word === '' ? undefined : (JSON.parse(word) as Word);
  }
}
