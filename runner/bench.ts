import fc, { type Arbitrary } from 'fast-check';
import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import { type Lease, LeftLocked, type Snapshot } from '../contracts/kernel/engine.ts';
import {
  type Bench,
  NotApplicable,
  type OpenOptions,
  type Rig,
  Vacuous,
  Violation,
} from '../contracts/kernel/guard.ts';
import { count, cut } from '../contracts/kernel/print.ts';
import { DeadlinePassed } from './deadline.ts';
import { Ledger } from './ledger.ts';
import { Draws, deriveSeed } from './random.ts';
import type { CaseResult } from './report.ts';
import { type RigOptions, Rigs, SubjectDied } from './rigs.ts';
import { type Part, Tracer } from './trace.ts';

export interface BenchOptions extends RigOptions {
  guard: string;
  trace: boolean;
  declaration: Declaration;
  seed: number;
  runs: number;
  /** The only case to run, and fast-check's path into its values. */
  replay: { case: string; path: string | undefined } | null;
  /** Ends the guard at its first violation. */
  firstOnly?: boolean;
}

/** Ends a guard that is asked for its first violation only. */
export class Enough extends Error {
  override name = 'Enough';
}

/** A violation, with the case that found it and what `--replay` needs to run that case again. */
export interface FoundViolation {
  case: string | null;
  replay: string | null;
  violation: Violation;
}

/** Subjects that serve one generated value of a property after the other. */
interface Standing {
  scope: Scope;
  rigs: { rig: Rig; empty: Snapshot }[];
  next: number;
}
type Scope = Rigs['scopes']['current'];

/** The bench that a guard works at: its cases, its random values, and the ledger of what it saw. */
export class GuardBench implements Bench {
  readonly declaration: Declaration;
  readonly facts: EngineFacts;
  readonly statements: Readonly<Record<string, string>>;
  readonly rigs: Rigs;
  /** Absent where nothing is to be recorded. */
  readonly tracer: Tracer | undefined;
  readonly ledger = new Ledger();
  readonly cases: CaseResult[] = [];
  readonly violations: FoundViolation[] = [];
  /** Names of all cases that the guard has shown, also those that are not to run. */
  readonly known: string[] = [];
  /** Values that properties were given. */
  generated = 0;
  /** The case that is running now. */
  currentCase: string | null = null;
  /** The guard's time was up, and no single call of the subject was the reason. */
  tooSlow = false;

  readonly #o: BenchOptions;
  #draws: Draws;
  #standing: Standing | undefined;
  #tokens = 0;

  constructor(options: BenchOptions) {
    this.#o = options;
    this.declaration = options.declaration;
    this.facts = options.facts;
    this.statements = options.path.statements;
    this.rigs = new Rigs(options);
    this.tracer = options.trace ? new Tracer(this.rigs.scopes) : undefined;
    this.#draws = this.#drawsFor('');
  }

  lease(): Promise<Lease> {
    return this.rigs.lease();
  }

  async open(options?: OpenOptions): Promise<Rig> {
    const rig = await this.rigs.open(options);
    await this.tracer?.start(rig.lease);
    return rig;
  }

  async openEmpty(): Promise<Rig> {
    const rig = await this.#openOrEmptied();
    await this.tracer?.start(rig.lease);
    return rig;
  }

  async #openOrEmptied(): Promise<Rig> {
    const standing = this.#standing;
    if (!standing) return this.rigs.open();
    const there = standing.rigs[standing.next++];
    if (there) {
      await there.rig.lease.restore(there.empty);
      return there.rig;
    }
    // It outlives the value that it was opened for.
    const rig = await this.rigs.scopes.within(standing.scope, () => this.rigs.open());
    standing.rigs.push({ rig, empty: await rig.lease.snapshot() });
    return rig;
  }

  async case(name: string, body: () => Promise<void>): Promise<void> {
    if (this.#isPassedOver(name)) return;
    await this.#inCase(name, () => this.rigs.scopes.run(body));
  }

  leaveOut(name: string, lacking: string | undefined): void {
    if (lacking === undefined || this.#isPassedOver(name)) return;
    this.cases.push({ name, verdict: 'not-applicable', reason: lacking });
  }

  async each<T>(name: string, values: readonly T[], body: (value: T) => Promise<void>): Promise<void> {
    await this.case(name, async () => {
      const standing = this.#stand();
      try {
        for (const value of values) {
          standing.next = 0;
          await this.rigs.scopes.run(() => body(value));
        }
      } finally {
        this.#standing = undefined;
      }
    });
  }

  async property<T>(name: string, values: Arbitrary<T>, body: (value: T) => Promise<void>): Promise<void> {
    if (this.#isPassedOver(name)) return;
    await this.#inCase(name, () => this.rigs.scopes.run(() => this.#search(name, values, body))).finally(() => {
      this.#standing = undefined;
    });
  }

  draw<T>(values: Arbitrary<T>): T {
    return this.#draws.next(values);
  }

  token(): string {
    this.#tokens += 1;
    const run = (deriveSeed(this.#o.seed, this.#o.guard) >>> 0).toString(36);
    return `ct${run}x${this.#tokens}`;
  }

  record(evidence: string, amount: number | string): void {
    this.ledger.record(evidence, amount);
  }

  /** Enters a violation under the case that is running. */
  found(violation: Violation, replay: string | null = this.currentCase): void {
    this.violations.push({ case: this.currentCase, replay, violation });
  }

  /** Looks for a value that breaks the rule, and for the smallest one. */
  async #search<T>(name: string, values: Arbitrary<T>, body: (value: T) => Promise<void>): Promise<void> {
    const standing = this.#stand();
    let stopped: unknown;
    let failing: Part | undefined;
    const property = fc.asyncProperty(values, async (value) => {
      if (stopped) return;
      this.generated += 1;
      this.#draws = this.#drawsFor(name);
      standing.next = 0;
      const part = this.tracer?.begin();
      try {
        await this.rigs.scopes.run(() => body(value));
      } catch (error) {
        failing = part;
        // A subject that failed may not be what it was; the next value gets fresh ones.
        standing.rigs.length = 0;
        // Only a broken rule is worth shrinking; anything else ends the property at once.
        if (!(error instanceof Violation) || error instanceof SubjectDied) stopped = error;
        throw error;
      }
    });
    const path = this.#o.replay?.path;
    const details = await fc.check(property, {
      seed: deriveSeed(this.#o.seed, this.#o.guard, name),
      numRuns: this.#o.runs,
      // Shrinking may take most of the guard's time, but not all of it.
      interruptAfterTimeLimit: Math.max(1, this.#o.deadline.left * 0.7),
      ...(path === undefined ? {} : { path }),
      ...(this.#o.firstOnly && { endOnFailure: true }),
    });
    this.tracer?.begin(failing);
    if (stopped) throw stopped;
    if (details.failed && details.errorInstance instanceof Violation) {
      const { message, counterexample } = details.errorInstance;
      const value = cut(fc.stringify(details.counterexample?.[0]), 400);
      const input = `generated input ${value} (shrunk ${count(details.numShrinks, 'times')})`;
      throw new Shrunk(message, { input, slots: counterexample?.slots ?? [] }, `${name}@${details.counterexamplePath}`);
    }
  }

  /** From now on, and as long as the present scope is open, `openEmpty` gives the same subjects again. */
  #stand(): Standing {
    this.#standing = { scope: this.rigs.scopes.current, rigs: [], next: 0 };
    return this.#standing;
  }

  /** Another case is to be replayed. */
  #isPassedOver(name: string): boolean {
    this.known.push(name);
    return this.#o.replay !== null && this.#o.replay.case !== name;
  }

  #drawsFor(name: string): Draws {
    return new Draws(this.#o.seed, `${this.#o.guard}\n${name}`);
  }

  /** Runs a case. A broken rule is entered under its name and the guard goes on; anything else ends the guard. */
  async #inCase(name: string, body: () => Promise<void>): Promise<void> {
    this.currentCase = name;
    this.tracer?.begin();
    this.#draws = this.#drawsFor(name);
    try {
      await body();
      this.cases.push({ name, verdict: 'upheld' });
    } catch (error) {
      if (error instanceof NotApplicable || error instanceof Vacuous) throw error;
      const broken = error instanceof Violation || error instanceof LeftLocked || error instanceof DeadlinePassed;
      this.cases.push({ name, verdict: broken ? 'violated' : 'error' });
      if (!(error instanceof Violation) || error instanceof SubjectDied) throw error;
      this.found(error, error instanceof Shrunk ? error.replay : name);
      this.tracer?.keep();
      if (this.#o.firstOnly) throw new Enough();
    }
    this.currentCase = null;
    this.tracer?.begin();
    this.#draws = this.#drawsFor('');
  }
}

/** The smallest generated value that was found to break the rule. */
class Shrunk extends Violation {
  readonly replay: string;

  constructor(message: string, counterexample: Violation['counterexample'] & object, replay: string) {
    super(message, counterexample);
    this.replay = replay;
  }
}
