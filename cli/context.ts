import type { Writable } from 'node:stream';
import type { Contract } from '../contracts/kernel/guard.ts';
import type { Mutant } from '../contracts/kernel/mutant.ts';
import type { Provider } from '../providers/provider.ts';
import type { DoctorOptions } from '../runner/doctor.ts';
import type { Proof, ProofReporter } from '../runner/proof.ts';
import type { ProveOptions } from '../runner/prove.ts';
import type { EngineReport, Report, Reporter } from '../runner/report.ts';
import type { BackendModule, RunOptions } from '../runner/run-options.ts';

/** What the commands work on: the tables of contents of the toolkit, and the runner. */
export interface Toolkit {
  contracts: readonly Contract[];
  providers: readonly Provider[];
  /** Behavioural mutants of all contracts; loaded only where they are asked for. */
  mutants(): Promise<readonly Pick<Mutant, 'id' | 'lie' | 'target'>[]>;
  /** Built-in backends. */
  references: readonly BackendModule[];
  run(options: RunOptions, reporters: Reporter[]): Promise<Report>;
  prove(options: ProveOptions, reporters: ProofReporter[]): Promise<Proof>;
  doctor(options: DoctorOptions): Promise<EngineReport[]>;
}

/** The surroundings of a command: what it reads, where it writes, and how it hears that it shall end. */
export interface Context {
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean; columns?: number };
  env: Record<string, string | undefined>;
  cwd: string;
  version: string;
  /** Fires on Ctrl-C, SIGTERM, or when nobody reads the output any more. */
  signal: AbortSignal;
  /** Loads the toolkit, which takes a moment that `--help` need not wait for. */
  load(): Promise<Toolkit>;
}
