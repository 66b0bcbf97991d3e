import { appendFileSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { Queue } from '../queue.ts';

/** Enters a connection of this thread, before it waits: while it does, its thread answers nobody. */
export function signUp(path: string, connection: number): void {
  appendFileSync(path, `${process.pid}/${threadId}/${connection}\n`);
}

/** The file in which connections enter themselves that are about to run what a lock keeps waiting. */
export class WaitingList {
  readonly path: string;
  /** Ends the watch over the file, and removes it. */
  readonly stop: () => void;
  readonly #queue = new Queue();

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
    const watcher = watch(path, { persistent: false }, () => this.#read());
    this.stop = () => {
      watcher.close();
      rmSync(path, { force: true });
    };
  }

  /** Resolves when so many connections have entered themselves. */
  holds(connections: number): Promise<void> {
    return this.#queue.holds(connections);
  }

  #read(): void {
    // What follows the last end of line is not written to its end.
    for (const line of readFileSync(this.path, 'utf8').split('\n').slice(0, -1)) this.#queue.join(line);
  }
}
