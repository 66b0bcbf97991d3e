import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AgentLink } from '../../contracts/kernel/engine.ts';
import { siblingModule } from '../sibling-module.ts';
import type { SqliteSite } from '../sites.ts';

type Task =
  | { do: 'agent'; site: SqliteSite; method: string; args: unknown[] }
  | { do: 'run' | 'query'; path: string; sql: string }
  | { do: 'close'; path: string };
export type StandInRequest = { id: number } & Task;
export type StandInReply = { id: number; value: unknown } | { id: number; error: string };

/** The host ended while an answer was awaited. */
class StandInEnded extends Error {
  // The name by which leases know that a host is gone.
  override name = 'HostEnded';
}

interface Waiting {
  resolve(value: unknown): void;
  reject(cause: Error): void;
}

/** A worker thread or a child process that does with node:sqlite what it is told, with the agent installed. */
export class StandInHost {
  readonly #post: (request: StandInRequest) => void;
  readonly #kill: () => Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #isProcess: boolean;
  #lastId = 0;
  #ended = false;

  private constructor(isProcess: boolean, post: (request: StandInRequest) => void, kill: () => Promise<unknown>) {
    this.#isProcess = isProcess;
    this.#post = post;
    this.#kill = kill;
  }

  static worker(): StandInHost {
    const worker = new Worker(siblingModule('stand-in', import.meta.url));
    const host = new StandInHost(
      false,
      (request) => worker.postMessage(request),
      () => worker.terminate(),
    );
    worker.on('message', (reply: StandInReply) => host.#settle(reply));
    worker.on('error', (cause) => host.#end(cause));
    worker.on('exit', () => host.#end());
    return host;
  }

  static process(): StandInHost {
    const child = fork(fileURLToPath(siblingModule('stand-in', import.meta.url)), { serialization: 'advanced' });
    const gone = once(child, 'exit');
    const host = new StandInHost(
      true,
      (request) => void child.send(request),
      () => {
        child.kill('SIGKILL');
        return gone;
      },
    );
    child.on('message', (reply: StandInReply) => host.#settle(reply));
    child.on('error', (cause) => host.#end(cause));
    child.on('exit', () => host.#end());
    return host;
  }

  link(site: SqliteSite): AgentLink {
    const call: AgentLink['call'] = (method, args) => this.#ask({ do: 'agent', site, method, args });
    return this.#isProcess ? { call, kill: () => this.end() } : { call };
  }

  /** Runs statements on the connection to that database, which is opened by the first. */
  async run(site: SqliteSite, sql: string): Promise<void> {
    await this.#ask({ do: 'run', path: site.path, sql });
  }

  async query(site: SqliteSite, sql: string): Promise<Record<string, unknown>[]> {
    return (await this.#ask({ do: 'query', path: site.path, sql })) as Record<string, unknown>[];
  }

  /** The message of the error that running the statements ends with, or null. */
  async errorOf(site: SqliteSite, sql: string): Promise<string | null> {
    return this.run(site, sql).then(
      () => null,
      (cause: Error) => cause.message,
    );
  }

  async close(site: SqliteSite): Promise<void> {
    await this.#ask({ do: 'close', path: site.path });
  }

  async end(): Promise<void> {
    if (!this.#ended) await this.#kill();
  }

  #ask(task: Task): Promise<unknown> {
    if (this.#ended) return Promise.reject(new StandInEnded('the host has ended'));
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ id, ...task });
    });
  }

  #settle(reply: StandInReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new Error(reply.error));
    else waiting?.resolve(reply.value);
  }

  #end(cause?: Error): void {
    this.#ended = true;
    for (const { reject } of this.#waiting.values()) reject(cause ?? new StandInEnded('the host has ended'));
    this.#waiting.clear();
  }
}
