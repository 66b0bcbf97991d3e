import type { NotApplicableReason } from '../contracts/kernel/capabilities.ts';
import type { Counterexample } from '../contracts/kernel/counterexample.ts';
import type { Level } from '../contracts/kernel/guard.ts';
import type { DoctorCheck, Kept } from '../providers/provider.ts';

export type VerdictName = 'upheld' | 'violated' | 'vacuous' | 'not-applicable' | 'error';

/** How one named part of a guard ended. */
export interface CaseResult {
  name: string;
  verdict: 'upheld' | 'violated' | 'error' | 'not-applicable';
  /** Why it was left out, where it was. */
  reason?: string;
}

/** What one guard found on one engine path of one backend. */
export interface Verdict {
  guard: string;
  level: Level;
  statement: string;
  contract: string;
  backend: string;
  provider: string;
  mode: string;
  variant: string;
  /** Engine and algorithm together, as a person writes them: `sqlite/file/prepared`. */
  path: string;
  verdict: VerdictName;
  /** The first case that broke the rule. */
  case: string | null;
  cases: CaseResult[];
  message: string | null;
  counterexample: Counterexample | null;
  /** What the subject sent to its engine in that case, in lines; null where it was not recorded. */
  trace: string[] | null;
  evidence: Record<string, number | string>;
  /** The one-line command that runs this case again. */
  replay: string | null;
  /** Why it does not apply, or which evidence is missing. */
  reason: string | null;
  /** Who says that it does not apply. */
  by: NotApplicableReason['by'] | null;
  durationMs: number;
}

/** One engine path with what its backend said of itself. */
export interface PathReport {
  path: string;
  contract: string;
  backend: string;
  givesUp: Record<string, string>;
  /** Bytes that the subject wrote to the console, and the first few lines. */
  console: { bytes: number; text: string };
}

export interface EngineReport {
  provider: string;
  version: string;
  modes: string[];
  startMs: number;
  /** The namespaces that `--keep` left in place. */
  kept: Kept[];
  doctor: (DoctorCheck & { mode: string })[];
}

/** An engine that could not be had, and that the run could do without. */
export interface AbsentEngine {
  provider: string;
  reason: string;
}

export interface Summary {
  upheld: number;
  violated: number;
  vacuous: number;
  notApplicable: number;
  error: number;
  total: number;
}

/** Everything that a run found; what `--reporter json` writes. */
export interface Report {
  version: string;
  clauses: number;
  seed: number;
  /** Mutants that spoiled every subject; none where the backends themselves were judged. */
  mutants: string[];
  durationMs: number;
  /** Milliseconds from the start to the first verdict. */
  firstVerdictMs: number | null;
  engines: EngineReport[];
  absent: AbsentEngine[];
  paths: PathReport[];
  summary: Summary;
  /** Named cases, generated inputs of properties, and items sent. */
  counts: { guards: number; cases: number; generated: number; items: number };
  verdicts: Verdict[];
  exitCode: number;
  /** Why the run ended before its end. */
  interrupted: string | null;
}

/** What happens during a run, as reporters hear it. */
export interface RunEvents {
  engineStarted(engine: EngineReport): void;
  engineAbsent(engine: AbsentEngine): void;
  pathStarted(path: PathReport, guards: number): void;
  verdict(verdict: Verdict, progress: { done: number; total: number }): void;
  finished(report: Report): void | Promise<void>;
}
export type Reporter = Partial<RunEvents>;
