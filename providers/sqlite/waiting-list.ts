import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { threadId } from 'node:worker_threads';
import { Queue } from '../queue.ts';

/** Milliseconds that a thread is kept at the start at most: nobody may be left to let it go. */
const longestStart = 30_000;

/**
 * Enters a connection of this thread, before it waits: while it does, its thread answers nobody. Returns false where the
 * list is there no more.
 */
export function signUp(path: string, connection: number): boolean {
  try {
    const list = openSync(path, constants.O_WRONLY | constants.O_APPEND);
    writeSync(list, `${process.pid}/${threadId}/${connection}\n`);
    closeSync(list);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    return false;
  }
}

/** Stops this thread while the list is there. */
export function waitAtStart(path: string): void {
  const until = performance.now() + longestStart;
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(path) && performance.now() < until) Atomics.wait(nothing, 0, 0, 1);
}

/** The file in which connections enter themselves that are about to wait. */
export class WaitingList {
  readonly path: string;
  /** Ends the watch over the file, and removes it: nobody will wait any more. */
  readonly stop: () => void;
  readonly #queue = new Queue();
  readonly #threads = new Set<string>();
  readonly #mostThreads: () => number;

  /** Where a thread waits as a whole, `mostThreads` tells how many can: once all of them do, nobody else will come. */
  constructor(path: string, mostThreads = () => Number.POSITIVE_INFINITY) {
    this.path = path;
    this.#mostThreads = mostThreads;
    writeFileSync(path, '');
    const watcher = watch(path, { persistent: false }, () => this.#read());
    this.stop = () => {
      watcher.close();
      rmSync(path, { force: true });
      this.#queue.close();
    };
  }

  /** Resolves when so many connections have entered themselves, or when no other can. */
  holds(connections: number): Promise<void> {
    return this.#queue.holds(connections);
  }

  #read(): void {
    if (!existsSync(this.path)) return;
    // What follows the last end of line is not written to its end.
    for (const line of readFileSync(this.path, 'utf8').split('\n').slice(0, -1)) {
      this.#threads.add(line.slice(0, line.lastIndexOf('/')));
      this.#queue.join(line);
    }
    if (this.#threads.size >= this.#mostThreads()) this.#queue.close();
  }
}
