import type { Host, HostKind, HostOptions } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';
import { startHost } from '../host/start.ts';
import { providers } from '../providers/index.ts';

/** Every host loads all agents: they must be there before the backend, and only the backend tells its provider. */
const agents = Object.fromEntries(providers.flatMap(({ name, agent }) => (agent ? [[name, agent.href]] : [])));

/** A host unlike the others: of a kind, or in a world, of its own. */
export type Apart = Partial<Pick<HostOptions, 'kind' | 'world'>>;

/** Hosts of one backend, started when they are needed and used again while they are sound. */
export class HostPool {
  readonly #options: HostOptions;
  /** By what sets them apart. */
  readonly #idle = new Map<string, Host[]>();
  readonly #all = new Set<Host>();

  constructor(kind: HostKind, backend: ModuleRef) {
    this.#options = { kind, backend, agents };
  }

  /** What its hosts live in, unless something else is asked for. */
  get kind(): HostKind {
    return this.#options.kind;
  }

  async take(apart: Apart = {}): Promise<Host> {
    const idle = this.#idleOf(apart);
    for (let host = idle.pop(); host; host = idle.pop()) {
      if (host.ended === undefined) return host;
      this.#all.delete(host);
    }
    const host = await startHost({ ...this.#options, ...apart });
    this.#all.add(host);
    return host;
  }

  /** Takes a host back; one that ended, or that is no longer trusted, is not used again. */
  async giveBack(host: Host, sound: boolean, apart: Apart = {}): Promise<void> {
    if (sound && host.ended === undefined) {
      this.#idleOf(apart).push(host);
      return;
    }
    this.#all.delete(host);
    await host.terminate();
  }

  async end(): Promise<void> {
    const hosts = [...this.#all];
    this.#all.clear();
    this.#idle.clear();
    await Promise.all(hosts.map((host) => host.terminate()));
  }

  #idleOf(apart: Apart): Host[] {
    const key = JSON.stringify(apart);
    const there = this.#idle.get(key) ?? [];
    this.#idle.set(key, there);
    return there;
  }
}
