import type { EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Lease, Site } from '../contracts/kernel/engine.ts';
import type { Hand } from '../contracts/kernel/mutant.ts';

/** The ways to get a server. */
export const provisions = ['embedded', 'local', 'url'] as const;
export type Provision = (typeof provisions)[number];

export interface EngineOptions {
  /** Address of an engine that is somebody's; only namespaces of our own are touched there. */
  url?: string;
  /** The way to get the engine; without it, the first that works. */
  provision?: Provision;
  /** Leaves the namespaces in place when their leases are released. */
  keep?: boolean;
}

/** One thing that was tried on an engine before anything is judged on it. */
export interface DoctorCheck {
  name: string;
  ok: boolean;
  /** What was seen, in words. */
  detail: string;
}

/** A namespace that was left in place. */
export interface Kept {
  /** The name of its schema or file. */
  name: string;
  /** The folder or the server that it is in, in words. */
  where: string;
}

/** A running engine. */
export interface Engine {
  readonly provider: string;
  readonly version: string;
  /** How many guards it can serve at once; absent where there is no such limit. */
  readonly guardsAtOnce?: number;
  facts(mode: string): EngineFacts;
  lease(options: { mode: string }): Promise<Lease>;
  /** Tries whether leases are isolated, restore restores, reads are independent, faults fire and the clock is sane. */
  examine(mode: string): Promise<DoctorCheck[]>;
  /** The namespaces that were left in place on request. */
  kept(): readonly Kept[];
  /** Ends what was started and removes what was created; safe to call twice. */
  stop(): Promise<void>;
}

/** A kind of engine: how to start it. */
export interface Provider {
  name: string;
  /** One line: what it is and where it comes from. */
  title: string;
  /** How the engine can be opened; the first is the default. */
  modes: readonly string[];
  /** The engine lives in the process of its caller: there is no server to be had, and no address. */
  inProcess?: true;
  /** Modes whose database only the subject's own connection sees; a probe of the backend's own has no way to it. */
  privateModes?: readonly string[];
  /** Modes in which the judge can only look on when the subject lives in the judge's own process. */
  oneProcessModes?: readonly string[];
  /** Module with the part of the provider that lives in the subject's host, exported as `agent`. */
  agent: URL | null;
  start(options: EngineOptions): Promise<Engine>;
}

/** The part of a provider that lives beside the subject, in its host. Installed before the subject's module loads. */
export interface Agent {
  /** Calls by the lease, about one site. What it returns must be plain data. */
  call(site: Site, method: string, args: unknown[]): unknown;
  /** The lease's content, by the provider's own statements, from inside the host. For behavioural mutants. */
  hand(site: Site): Hand;
}

/** Describes a kind of engine. */
export function defineProvider(provider: Provider): Provider {
  if (provider.modes.length === 0) throw new TypeError(`provider ${provider.name} has no mode`);
  return provider;
}

/** The engine that was asked for could not be had. */
export class EngineUnavailable extends Error {
  override name = 'EngineUnavailable';
}
