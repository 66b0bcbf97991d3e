import type { World } from '../contracts/kernel/guard.ts';
import type { Host, HostKind, HostOptions } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';
import { startHost } from '../host/start.ts';
import { providers } from '../providers/index.ts';

/** Every host loads all agents: they must be there before the backend, and only the backend tells its provider. */
const agents = Object.fromEntries(providers.flatMap(({ name, agent }) => (agent ? [[name, agent.href]] : [])));

/** Hosts of one backend, started when they are needed and used again while they are sound. */
export class HostPool {
  readonly #options: HostOptions;
  readonly #idle: Host[] = [];
  readonly #all = new Set<Host>();

  constructor(kind: HostKind, backend: ModuleRef) {
    this.#options = { kind, backend, agents };
  }

  /** A host for one purpose, not used again. */
  async takeApart(world: World): Promise<Host> {
    const host = await startHost({ ...this.#options, world });
    this.#all.add(host);
    return host;
  }

  async take(): Promise<Host> {
    for (let host = this.#idle.pop(); host; host = this.#idle.pop()) {
      if (host.ended === undefined) return host;
      this.#all.delete(host);
    }
    const host = await startHost(this.#options);
    this.#all.add(host);
    return host;
  }

  /** Takes a host back; one that ended, or that is no longer trusted, is not used again. */
  async giveBack(host: Host, sound: boolean): Promise<void> {
    if (sound && host.ended === undefined) {
      this.#idle.push(host);
      return;
    }
    this.#all.delete(host);
    await host.terminate();
  }

  async end(): Promise<void> {
    const hosts = [...this.#all];
    this.#all.clear();
    this.#idle.length = 0;
    await Promise.all(hosts.map((host) => host.terminate()));
  }
}
