import type { Level } from '../contracts/kernel/guard.ts';
import type { AbsentEngine, EngineReport, VerdictName } from './report.ts';

/** How a mutant fared before one guard on one path. */
export const trialStatuses = [
  /** Its target ran and gave the verdict that it must give, and let the controls live. */
  'killed',
  /** Another guard, which may find it as well, found it. */
  'killed-too',
  /** A guard found it that is neither its target nor allowed to. */
  'accidental',
  /** It lied, and its target did not say so. */
  'survived',
  /** It told no lie here, and its target was upheld. */
  'inert',
  /** A control, or a mutant before a guard that is not its target: it was let live, as it should be. */
  'spared',
  /** A control that a guard found guilty, though not the backend itself. */
  'control-killed',
  /** The guard finds the backend itself guilty, or is vacuous with it: nothing that it finds of a mutant counts. */
  'uncontrolled',
  /** The harness, or the host, failed. */
  'crashed',
  /** The guard was not through when its time was up. */
  'timed-out',
  /** The guard does not apply on this path, or the lie cannot be told there. */
  'not-applicable',
] as const;
export type TrialStatus = (typeof trialStatuses)[number];

/** One mutant, or the controls, before one guard on one path. */
export interface Trial {
  provider: string;
  path: string;
  backend: string;
  contract: string;
  guard: string;
  /** `send-batch/ids-reversed`; two controls that were told apart only where it was needed are joined by a plus. */
  mutant: string;
  role: 'target' | 'other' | 'control';
  status: TrialStatus;
  /** How often it lied, as far as could be asked. */
  lies: number;
  verdict: VerdictName;
  case: string | null;
  /** What the guard said, or why it had nothing to say. */
  message: string | null;
  /** The one-line command that shows this trial again; null where nothing ran. */
  replay: string | null;
  durationMs: number;
}

/** A mutant as the proof met it. */
export interface MutantReport {
  mutant: string;
  lie: string;
  target: string;
  expects: 'violated' | 'vacuous';
  /** Of which backends alone the lie can be told: elsewhere it may be inert. */
  only: string | null;
  control: boolean;
}

/** A guard, and what proves that it can fail. */
export interface GuardReport {
  contract: string;
  guard: string;
  level: Level;
  /** Mutants that were aimed at it. */
  mutants: string[];
  /** Paths on which it applies. */
  applies: number;
  /** It applies somewhere, and no mutant is aimed at it. */
  idle: boolean;
}

/** A mutant that told no lie on any path of a provider although its target applies there. */
export interface InertEverywhere {
  mutant: string;
  provider: string;
}

/** Everything that a proof found; what `--reporter json` writes. */
export interface Proof {
  version: string;
  clauses: number;
  seed: number;
  /** Whether every mutant met every guard. */
  full: boolean;
  durationMs: number;
  engines: EngineReport[];
  absent: AbsentEngine[];
  paths: ProofPath[];
  guards: GuardReport[];
  mutants: MutantReport[];
  trials: Trial[];
  inertEverywhere: InertEverywhere[];
  /** How many trials of mutants before their targets ended in a kill, of all where the target applied. */
  killed: { of: number; killed: number };
  summary: Record<TrialStatus, number>;
  exitCode: number;
  interrupted: string | null;
}

export interface ProofPath {
  path: string;
  contract: string;
  backend: string;
  provider: string;
  /** Why nothing was tried here, or null. */
  ill: string | null;
}

/** What happens during a proof, as reporters hear it. */
export interface ProofEvents {
  engineStarted(engine: EngineReport): void;
  engineAbsent(engine: AbsentEngine): void;
  pathStarted(path: ProofPath, trials: number): void;
  trial(trial: Trial, progress: { done: number; total: number }): void;
  finished(proof: Proof): void | Promise<void>;
}
export type ProofReporter = Partial<ProofEvents>;
