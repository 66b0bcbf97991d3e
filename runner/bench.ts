import fc, { type Arbitrary } from 'fast-check';
import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Lease, Snapshot } from '../contracts/kernel/engine.ts';
import {
  type Bench,
  type CallOptions,
  NotApplicable,
  type OpenOptions,
  type Rig,
  type Subject,
  Vacuous,
  Violation,
} from '../contracts/kernel/guard.ts';
import type { Settled } from '../contracts/kernel/outcome.ts';
import { count, cut } from '../contracts/kernel/print.ts';
import { type Host, HostEnded, HostRefused, type Session } from '../host/host.ts';
import type { Engine } from '../providers/provider.ts';
import type { Deadline } from './deadline.ts';
import type { HostPool } from './host-pool.ts';
import { Ledger } from './ledger.ts';
import type { EnginePath } from './path.ts';
import { Draws, deriveSeed } from './random.ts';
import type { CaseResult } from './report.ts';

export interface BenchOptions {
  guard: string;
  path: EnginePath;
  engine: Engine;
  facts: EngineFacts;
  declaration: Declaration;
  pool: HostPool;
  deadline: Deadline;
  seed: number;
  runs: number;
  /** The only case to run, and fast-check's path into its values. */
  replay: { case: string; path: string | undefined } | null;
  mutants: readonly string[];
  keep: boolean;
}

/** What a host is for: the subject, a second subject that races it, or the backend's own probe. */
type HostRole = 'subject' | 'rival' | 'probe';

/** A violation, with the case that found it and the way to run that case again. */
export interface FoundViolation {
  case: string | null;
  replay: string | null;
  violation: Violation;
}

/** What happens while a guard runs that its verdict has to tell. */
export interface Tally {
  cases: CaseResult[];
  violations: FoundViolation[];
  generated: number;
  items: number;
}

/** The bench that a guard works at: opens subjects on leases in hosts, and lets go of all of them at the end. */
export class GuardBench implements Bench {
  readonly declaration: Declaration;
  readonly facts: EngineFacts;
  readonly rowsStatement: string | null;
  readonly ledger = new Ledger();
  readonly tally: Tally = { cases: [], violations: [], generated: 0, items: 0 };
  /** The call that is running now, in words, and since when. */
  pending: { what: string; since: number } | undefined;
  /** The case that is running now. */
  currentCase: string | null = null;

  readonly #o: BenchOptions;
  readonly #hosts = new Map<HostRole, Host>();
  readonly #attached = new Map<Lease, Map<Host, () => Promise<void>>>();
  #scope: (() => Promise<void>)[] = [];
  #draws: Draws;
  /** Subjects that serve the values of the property that is running. */
  #standing: { scope: (() => Promise<void>)[]; rigs: { rig: Rig; empty: Snapshot }[]; next: number } | undefined;
  #tokens = 0;

  constructor(options: BenchOptions) {
    this.#o = options;
    this.declaration = options.declaration;
    this.facts = options.facts;
    this.rowsStatement = options.path.rowsStatement;
    this.#draws = this.#drawsFor('');
  }

  async lease(): Promise<Lease> {
    const lease = await this.#o.deadline.race(this.#o.engine.lease({ mode: this.#o.path.mode }));
    this.#scope.push(() => lease.release({ keep: this.#o.keep }));
    return lease;
  }

  async open(options: OpenOptions = {}): Promise<Rig> {
    const lease = options.lease ?? (await this.lease());
    const host = await this.#host(options.anotherHost ? 'rival' : 'subject');
    await this.#attach(lease, host);
    const subject = await this.#openSubject(lease, host, options.wrapped ? ['pass-through'] : []);
    this.#scope.push(() => subject.close());
    return { lease, subject, read: this.#reader(lease, host) };
  }

  async openEmpty(): Promise<Rig> {
    const standing = this.#standing;
    if (!standing) return this.open();
    const there = standing.rigs[standing.next++];
    if (there) {
      await there.rig.lease.restore(there.empty);
      return there.rig;
    }
    // It outlives the value that it was opened for.
    const inner = this.#scope;
    this.#scope = standing.scope;
    const rig = await this.open().finally(() => {
      this.#scope = inner;
    });
    standing.rigs.push({ rig, empty: await rig.lease.snapshot() });
    return rig;
  }

  async case(name: string, body: () => Promise<void>): Promise<void> {
    const replay = this.#o.replay;
    if (replay && replay.case !== name) return;
    await this.#inCase(name, name, () => this.#inScope(body));
  }

  async property<T>(name: string, values: Arbitrary<T>, body: (value: T) => Promise<void>): Promise<void> {
    const replay = this.#o.replay;
    if (replay && replay.case !== name) return;
    let stopped: unknown;
    const property = fc.asyncProperty(values, async (value) => {
      if (stopped) return;
      this.tally.generated += 1;
      this.#draws = this.#drawsFor(name);
      this.#standing!.next = 0;
      try {
        await this.#inScope(() => body(value));
      } catch (error) {
        // A subject that failed may not be what it was; the next value gets fresh ones.
        this.#standing!.rigs.length = 0;
        // Only a broken rule is worth shrinking; anything else ends the property at once.
        if (!(error instanceof Violation)) stopped = error;
        throw error;
      }
    });
    const search = async () => {
      this.#standing = { scope: this.#scope, rigs: [], next: 0 };
      const details = await fc.check(property, {
        seed: deriveSeed(this.#o.seed, this.#o.guard, name),
        numRuns: this.#o.runs,
        // Shrinking may take most of the guard's time, but not all of it.
        interruptAfterTimeLimit: Math.max(1, this.#o.deadline.left * 0.7),
        ...(replay?.path === undefined ? {} : { path: replay.path }),
      });
      if (stopped) throw stopped;
      if (!details.failed || !(details.errorInstance instanceof Violation)) return;
      const { message, counterexample } = details.errorInstance;
      const input = `generated input ${cut(fc.stringify(details.counterexample?.[0]), 400)} (shrunk ${count(details.numShrinks, 'times')})`;
      const violation = new Violation(message, { input, slots: counterexample?.slots ?? [] });
      throw Object.assign(violation, { replay: `${name}@${details.counterexamplePath}` });
    };
    await this.#inCase(name, null, () => this.#inScope(search)).finally(() => {
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

  /** What was thrown outside any promise in the hosts of this guard, in words. */
  async strays(): Promise<string[]> {
    const found: string[] = [];
    for (const host of this.#hosts.values()) {
      if (host.ended === undefined) await host.answers(2000);
      for (const failure of host.takeStrays()) found.push(`${failure.name}: ${failure.message}`);
    }
    return found;
  }

  /** What the subjects wrote to the console. */
  console(): { bytes: number; text: string } {
    const parts = [...this.#hosts.values()].map((host) => host.takeConsole());
    return { bytes: parts.reduce((sum, p) => sum + p.bytes, 0), text: parts.map((p) => p.text).join('') };
  }

  /** Whether a host's thread is busy and does not even answer. */
  async isStuck(): Promise<boolean> {
    for (const host of this.#hosts.values()) if (host.ended === undefined && !(await host.answers(200))) return true;
    return false;
  }

  /** Lets go of everything. Hosts that are not sound are ended. */
  async end(sound: boolean): Promise<void> {
    if (!sound) await Promise.all([...this.#hosts.values()].map((host) => host.terminate()));
    await this.#close(this.#scope);
    this.#scope = [];
    for (const host of this.#hosts.values()) await this.#o.pool.giveBack(host, sound);
    this.#hosts.clear();
  }

  async #host(role: HostRole): Promise<Host> {
    const there = this.#hosts.get(role);
    if (there) return there;
    const host = await this.#o.deadline.race(this.#o.pool.take());
    host.takeConsole();
    this.#hosts.set(role, host);
    return host;
  }

  async #attach(lease: Lease, host: Host): Promise<void> {
    const hosts = this.#attached.get(lease) ?? new Map<Host, () => Promise<void>>();
    this.#attached.set(lease, hosts);
    if (hosts.has(host)) return;
    const leave = await lease.attach({ call: (method, args) => host.agent(lease.site, method, args) });
    hosts.set(host, leave);
    this.#scope.push(async () => {
      hosts.delete(host);
      if (host.ended === undefined) await leave();
    });
  }

  async #openSubject(lease: Lease, host: Host, wrappers: string[]): Promise<Subject> {
    const { variant, contract } = this.#o.path;
    const mutants = [...this.#o.mutants, ...wrappers];
    const session = await this.#asked(host, 'opening the subject', () =>
      host.open({ as: 'subject', variant, contract, site: lease.site, mutants }),
    );
    return {
      members: session.members,
      call: async (member: string, args: unknown[], options?: CallOptions): Promise<Settled<unknown>> => {
        const items = Array.isArray(args[0]) ? args[0].length : 1;
        this.tally.items += items;
        return this.#asked(host, `${member} (${count(items, 'items')})`, () => session.call(member, args, options));
      },
      close: async () => {
        if (host.ended === undefined) await this.#asked(host, 'closing the subject', () => session.close());
      },
    };
  }

  /** Asks a host on behalf of the subject; what goes wrong there is the subject's fault. */
  async #asked<T>(host: Host, what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#watched(what, ask());
    } catch (error) {
      if (error instanceof HostRefused)
        throw new Violation(`${what} failed: ${error.failure.name}: ${error.failure.message}`);
      if (error instanceof HostEnded) throw new SubjectDied(endOf(host, error));
      throw error;
    }
  }

  #reader(lease: Lease, host: Host): () => Promise<Found> {
    const statement = this.rowsStatement;
    if (statement !== null) return () => this.#watched('reading by the probe', lease.read(statement));
    let session: Session | undefined;
    return async () => {
      // A database in the subject's own memory can be read nowhere else.
      const home = this.facts.lacks.twoHosts === undefined ? await this.#host('probe') : host;
      try {
        if (!session) {
          await this.#attach(lease, home);
          const { variant, contract } = this.#o.path;
          const opened = await this.#watched(
            'opening the probe',
            home.open({ as: 'probe', variant, contract, site: lease.site }),
          );
          session = opened;
          this.#scope.push(async () => {
            session = undefined;
            if (home.ended === undefined) await opened.close();
          });
        }
        return await this.#watched('reading by the probe', session.rows());
      } catch (error) {
        // A probe of the backend's own has no other way to say that what it reads is not there.
        if (error instanceof HostRefused) return { missing: `what it reads (${error.failure.message})` };
        if (error instanceof HostEnded) throw new SubjectDied(endOf(home, error));
        throw error;
      }
    };
  }

  /** Waits for the subject, but not beyond the guard's deadline. */
  async #watched<T>(what: string, work: Promise<T>): Promise<T> {
    const before = this.pending;
    this.pending = { what, since: performance.now() };
    work.catch(() => {});
    const value = await this.#o.deadline.race(work);
    this.pending = before;
    return value;
  }

  #drawsFor(name: string): Draws {
    return new Draws(this.#o.seed, `${this.#o.guard}\n${name}`);
  }

  async #inCase(name: string, replay: string | null, body: () => Promise<void>): Promise<void> {
    this.currentCase = name;
    this.#draws = this.#drawsFor(name);
    try {
      await body();
      this.tally.cases.push({ name, verdict: 'upheld' });
    } catch (error) {
      if (error instanceof NotApplicable || error instanceof Vacuous) throw error;
      this.tally.cases.push({ name, verdict: error instanceof Violation ? 'violated' : 'error' });
      if (!(error instanceof Violation) || error instanceof SubjectDied) throw error;
      const own = (error as { replay?: string }).replay;
      this.tally.violations.push({ case: name, replay: own ?? replay, violation: error });
    }
    this.currentCase = null;
    this.#draws = this.#drawsFor('');
  }

  /** Runs a part of the guard and closes what it opened. */
  async #inScope(body: () => Promise<void>): Promise<void> {
    const outer = this.#scope;
    this.#scope = [];
    try {
      await body();
    } finally {
      const inner = this.#scope;
      this.#scope = outer;
      await this.#close(inner);
    }
  }

  /** Undoes in the opposite order; all of it is tried, the first error is kept. */
  async #close(scope: (() => Promise<void>)[]): Promise<void> {
    let first: unknown;
    for (const undo of scope.reverse()) {
      try {
        await undo();
      } catch (error) {
        first ??= error;
      }
    }
    if (first) throw first;
  }
}

/** The host died under a call: nothing more can be asked of it, so the guard ends here. */
export class SubjectDied extends Violation {}

function endOf(host: Host, error: HostEnded): string {
  return `the subject ended its ${host.kind === 'process' ? 'process' : 'thread'}: ${host.ended ?? error.message}`;
}
