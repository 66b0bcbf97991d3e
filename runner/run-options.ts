import type { HostKind } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';

/** What a run is asked to do; every field is set. */
export interface RunOptions {
  backends: ModuleRef[];
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
