import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AgentLink, Crashed, Sprung } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { nothingSprung } from '../attached-hosts.ts';
import { monotonicMs } from '../clock.ts';
import type { Hello } from './agent.ts';
import { CrashMark, type Killed } from './crash-mark.ts';
import { type DirectConnection, unlessLocked } from './direct.ts';

/** The processes in which subjects of one database live, how they are killed, and how it is opened again. */
export class Killing {
  readonly #path: string;
  readonly #directory: string;
  /** Absent where the database is private. */
  readonly #direct: DirectConnection | undefined;
  /** Hosts in processes of their own, with what they said of themselves. */
  readonly #processes = new Map<AgentLink, Hello>();
  readonly #marks = new Set<CrashMark>();
  #killed: Killed | undefined;
  /** The file that was there when a crash was asked for. */
  #inode: number | undefined;

  constructor(path: string, directory: string, direct: DirectConnection | undefined) {
    this.#path = path;
    this.#directory = directory;
    this.#direct = direct;
  }

  attach(link: AgentLink, hello: Hello): void {
    if (link.kill) this.#processes.set(link, hello);
  }

  leave(link: AgentLink): void {
    this.#processes.delete(link);
  }

  /** Only a process of its own can be killed without the judge. */
  requireProcess(): void {
    if (this.#processes.size > 0) return;
    throw new NotApplicable('host', 'a crash needs a subject in a process of its own; here it would kill the judge');
  }

  /** The file in which a process is to leave word that kills itself. */
  expect(nonce: string): CrashMark {
    const mark = new CrashMark(join(this.#directory, `${nonce}.crashed`));
    this.#marks.add(mark);
    this.#inode = inodeOf(this.#path);
    return mark;
  }

  async crash(): Promise<Crashed> {
    this.requireProcess();
    this.#inode = inodeOf(this.#path);
    // With a connection of the judge's own still open, the next one would find the write-ahead log in order.
    this.#direct?.close();
    const killed = [...this.#processes];
    this.#processes.clear();
    this.#killed = { pids: killed.map(([, hello]) => hello.process), at: monotonicMs() };
    await Promise.all(killed.map(([link]) => link.kill?.()));
    return { pids: this.#killed.pids };
  }

  /** Opens the database again; tells in words by what it is seen to be the same. */
  async recover(): Promise<string> {
    const killed = this.#last();
    const direct = this.#direct;
    if (!killed || !direct) throw new Error('sqlite: nothing was killed that could be recovered');
    const sameFile = inodeOf(this.#path) === this.#inode ? 'the same file' : 'another file than before';
    direct.close();
    const log = sizeOf(`${this.#path}-wal`);
    const check = await unlessLocked(() => direct.required().prepare('PRAGMA quick_check(1)').get()?.quick_check);
    const after = `${Math.round(monotonicMs() - killed.at)} ms after process ${killed.pids.join(', ')} had been killed`;
    const sizes = `its write-ahead log had ${log} bytes before and has ${sizeOf(`${this.#path}-wal`)} now`;
    return `${sameFile}, ${basename(this.#path)}, was opened again ${after}; ${sizes}; quick_check: ${String(check)}`;
  }

  /** Ends the watches over files in which word was to be left. */
  stop(): void {
    for (const mark of this.#marks) mark.stop();
  }

  #last(): Killed | undefined {
    const all = [this.#killed, ...[...this.#marks].map((mark) => mark.read())];
    return all
      .filter((killed) => killed !== undefined)
      .sort((a, b) => a.at - b.at)
      .at(-1);
  }
}

/** What a process that killed itself had counted. */
export function sprungBy(mark: CrashMark | undefined): Sprung {
  return mark?.read()?.sprung ?? nothingSprung;
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
