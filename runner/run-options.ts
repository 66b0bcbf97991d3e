import type { HostKind } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';

/** Generated inputs of each property, where nothing else is said. */
export const defaultRuns = 100;
/** Milliseconds that a guard has, where nothing else is said. */
export const defaultTimeout = 20_000;

/** What a run is asked to do; every field is set. */
export interface RunOptions {
  backends: ModuleRef[];
  /** The backends as the user named them (`--backend`), for the replay line; empty for the built-in ones. */
  backendFiles: string[];
  /** Filters such as `sqlite`, `sqlite/file` or `sqlite/file/prepared`; empty means all. */
  paths: string[];
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
  host: HostKind;
  /** Behavioural mutants that spoil every subject. */
  mutants: string[];
  /** Guards that run side by side. */
  concurrency: number;
  signal: AbortSignal;
}
