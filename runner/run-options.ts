import type { HostKind } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';
import type { Provision } from '../providers/provider.ts';

/** Generated inputs of each property, where nothing else is said. */
export const defaultRuns = 50;
/** Milliseconds that a guard has, where nothing else is said: on a machine that is busy with much else, too. */
export const defaultTimeout = 120_000;

/** A module that exports a backend. */
export interface BackendModule extends ModuleRef {
  /** Its provider, where that is known beforehand: it is loaded only when that one is asked for, and so is its driver. */
  provider?: string;
}

/** Address of a server, and how the user named it: a file (`@file`) may hold a password, which no output shows. */
export interface ServerUrl {
  address: string;
  named: string;
}

/** What a run is asked to do; every field is set. */
export interface RunOptions {
  backends: BackendModule[];
  /** The backends as the user named them (`--backend`), for the replay line; empty for the built-in ones. */
  backendFiles: string[];
  /** Filters such as `sqlite`, `sqlite/file` or `sqlite/file/prepared`; empty means all. */
  paths: string[];
  /** The way to the server, where the engine is one; null for the first that works. */
  provision: Provision | null;
  /** The server that is somebody's. */
  url: ServerUrl | null;
  /** Engines without which the run ends; any other that cannot be had is reported, and left out. */
  required: string[];
  contracts: string[];
  /** Globs over guard ids; empty means all. */
  guards: string[];
  seed: number;
  /** Generated inputs of each property. */
  runs: number;
  /** A case, or a case and fast-check's path (`generated@3:1:0`), to run alone. */
  replay: string | null;
  /** Milliseconds that a guard has. */
  timeout: number;
  keep: boolean;
  strict: boolean;
  /** Records what subjects send to their engine, and shows it of the case that broke a rule. */
  trace: boolean;
  host: HostKind;
  /** Behavioural mutants that spoil every subject. */
  mutants: string[];
  /** Guards that run side by side. */
  concurrency: number;
  signal: AbortSignal;
}
