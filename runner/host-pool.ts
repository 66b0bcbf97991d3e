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
  /** By the world that they live in; undefined is the judge's own. */
  readonly #idle = new Map<string | undefined, Host[]>();
  readonly #all = new Set<Host>();

  constructor(kind: HostKind, backend: ModuleRef) {
    this.#options = { kind, backend, agents };
  }

  async take(world?: World): Promise<Host> {
    const idle = this.#idleIn(world);
    for (let host = idle.pop(); host; host = idle.pop()) {
      if (host.ended === undefined) return host;
      this.#all.delete(host);
    }
    const host = await startHost({ ...this.#options, ...(world && { world }) });
    this.#all.add(host);
    return host;
  }

  /** Takes a host back; one that ended, or that is no longer trusted, is not used again. */
  async giveBack(host: Host, sound: boolean, world?: World): Promise<void> {
    if (sound && host.ended === undefined) {
      this.#idleIn(world).push(host);
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

  #idleIn(world: World | undefined): Host[] {
    const key = world && JSON.stringify(world);
    const there = this.#idle.get(key) ?? [];
    this.#idle.set(key, there);
    return there;
  }
}
