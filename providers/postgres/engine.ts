import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import type { Crashed, Lease } from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { type DoctorCheck, type Engine, type EngineOptions, EngineUnavailable, type Kept } from '../provider.ts';
import type { Server } from '../provision/server.ts';
import { tlsOptions } from '../provision/tls.ts';
import { shown } from '../provision/url.ts';
import { openTap } from '../wire/index.ts';
import { type Admitted, admit } from './admission.ts';
import { Connections } from './connections.ts';
import { examine } from './doctor.ts';
import type { Driver } from './driver.ts';
import { isLost } from './errors.ts';
import { PostgresLease } from './lease.ts';
import { type Namespace, Namespaces, siteOf } from './namespaces.ts';
import { Owner } from './owner.ts';

/** How the server is reached: by a connection of its own, with nothing between. */
export const modes = ['direct'] as const;

const somebodys = "the server is somebody's; a private one can be killed";

/** A PostgreSQL server; a schema of its own for every lease. */
export class PostgresEngine implements Engine {
  readonly provider = 'postgres';
  readonly version: string;
  readonly guardsAtOnce: number;
  readonly #driver: Driver;
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #owner: Owner;
  readonly #namespaces: Namespaces;
  readonly #keepAll: boolean;
  readonly #leases = new Set<PostgresLease>();
  readonly #kept: Kept[] = [];
  /** The drops that are under way, one after the other. */
  #drops: Promise<void> = Promise.resolve();
  #failedDrops: unknown[] = [];
  /** The crash that the server has not been started again after. */
  #crashed: Promise<Crashed> | undefined;
  #stopped: Promise<void> | undefined;

  private constructor(
    driver: Driver,
    server: Server,
    connections: Connections,
    owner: Owner,
    { version, guardsAtOnce }: Admitted,
    keepAll: boolean,
  ) {
    this.version = version;
    this.guardsAtOnce = guardsAtOnce;
    this.#driver = driver;
    this.#server = server;
    this.#connections = connections;
    this.#owner = owner;
    this.#namespaces = new Namespaces(connections, owner, server);
    this.#keepAll = keepAll;
  }

  /** Connects to a server and makes sure that leases can be had there; the server is the engine's to stop from then on. */
  static async open(driver: Driver, server: Server, options: EngineOptions): Promise<PostgresEngine> {
    const connections = new Connections(driver, server.address);
    const owner = new Owner(connections);
    try {
      const admitted = await admit(connections, server);
      await owner.claim();
      await owner.sweep();
      const engine = new PostgresEngine(driver, server, connections, owner, admitted, options.keep ?? false);
      await engine.#namespaces.prepare();
      return engine;
    } catch (cause) {
      await owner.release();
      await connections.end();
      await server.stop();
      throw cause;
    }
  }

  facts(mode: string): EngineFacts {
    if (!(modes as readonly string[]).includes(mode)) {
      throw new TypeError(`postgres has no mode ${mode}; it has ${modes.join(', ')}`);
    }
    return { provider: this.provider, mode, version: this.version, maxParams: 65_535, lacks: this.#lacks() };
  }

  async lease({ mode }: { mode: string }): Promise<Lease> {
    if (this.#stopped) throw new Error('postgres: the engine has been stopped');
    const facts = this.facts(mode);
    const namespace = await this.#namespaces.create();
    const { address } = this.#server;
    const { host, port, tls } = address;
    const tap = await openTap({ upstream: { host, port, ...(tls && { tls: tlsOptions(tls) }) } });
    const site = siteOf(namespace, mode, tap, this.#server);
    const lease = new PostgresLease(facts, site, namespace, tap, {
      address,
      connections: this.#connections,
      namespaces: this.#namespaces,
      keepAll: this.#keepAll,
      crash: () => this.#crash(),
      recover: () => this.#recover(),
      kept: ({ schema }) => void this.#kept.push({ name: schema, where: this.#where() }),
      released: (released, drop) => {
        this.#leases.delete(released);
        if (drop) this.#dropInBackground(namespace);
      },
    });
    this.#leases.add(lease);
    return lease;
  }

  examine(mode: string): Promise<DoctorCheck[]> {
    return examine(this.#driver, () => this.lease({ mode }));
  }

  /** Schemas that were left in place. */
  kept(): readonly Kept[] {
    return this.#kept;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    try {
      for (const lease of this.#leases) await lease.release();
      await this.#drops;
      await this.#owner.release();
      await this.#connections.end();
    } finally {
      await this.#server.stop();
    }
    const [failed] = this.#failedDrops;
    // With the server gone, so is the way to it; the next run sweeps what is left there.
    if (failed && !this.#server.own && !(failed instanceof EngineUnavailable) && !isLost(failed)) throw failed;
  }

  /** Kills the private server; its processes have had their signals when this returns. */
  #crash(): Promise<Crashed> {
    const { own } = this.#server;
    if (!own) return Promise.reject(new NotApplicable('engine', somebodys));
    this.#crashed ??= own.kill().then((pids) => ({ pids }));
    return this.#crashed;
  }

  async #recover(): Promise<string> {
    const { own } = this.#server;
    if (!own) throw new NotApplicable('engine', somebodys);
    await this.#crashed;
    const words = await own.restart();
    this.#crashed = undefined;
    await this.#owner.claim();
    return words;
  }

  /** Nobody has to wait for a namespace to be gone. */
  #dropInBackground(namespace: Namespace): void {
    this.#drops = this.#drops
      // A private server goes with everything in it, and what a crash has got in the way of goes with it, too.
      .then(() => (this.#stopped && this.#server.own ? undefined : this.#namespaces.drop(namespace)))
      .catch((cause: unknown) => void this.#failedDrops.push(cause));
  }

  #lacks(): EngineFacts['lacks'] {
    return this.#server.own ? {} : { crash: somebodys };
  }

  #where(): string {
    const { own, address } = this.#server;
    return own ? own.keep() : shown(address);
  }
}
