import type { EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { AgentLink, Lease } from '../contracts/kernel/engine.ts';
import {
  type CallOptions,
  NotApplicable,
  type OpenOptions,
  type Quiet,
  type Rig,
  type Subject,
  Violation,
} from '../contracts/kernel/guard.ts';
import { count } from '../contracts/kernel/print.ts';
import { type Host, HostEnded, HostRefused, type Session } from '../host/host.ts';
import type { Engine } from '../providers/provider.ts';
import { type Deadline, DeadlinePassed } from './deadline.ts';
import type { Apart, HostPool } from './host-pool.ts';
import type { EnginePath } from './path.ts';
import { Scopes } from './scopes.ts';

/** What a host is for: the subject, a second subject that races it, or the backend's own probe. */
type HostRole = 'subject' | 'rival' | 'probe';

export interface RigOptions {
  path: EnginePath;
  engine: Engine;
  facts: EngineFacts;
  pool: HostPool;
  deadline: Deadline;
  mutants: readonly string[];
  keep: boolean;
}

const probeOfItsOwn = "the backend's own probe";
/** Items in one call after which a host's heap is so large, and stays it, that the host is not used again. */
const swelling = 10_000;
/** Milliseconds in which the thread of a subject that has nothing to do answers, on a machine that is busy otherwise. */
const answersWithin = 5000;
/** Milliseconds for which timers and engine are waited for in turn; a subject may never be still. */
const longestUnrest = 5000;

/** The host died under a call: nothing more can be asked of it, so the guard ends here. */
export class SubjectDied extends Violation {}

/** Opens subjects and probes on leases, in hosts, for one guard; and closes them again. */
export class Rigs {
  readonly scopes = new Scopes();
  /** The call that was running when the guard's time was up, and for how many milliseconds. */
  unanswered: { what: string; waited: number } | undefined;
  /** Items that were sent. */
  items = 0;
  /** How often mutants have lied, in the subjects that are closed. */
  lies = 0;

  readonly #o: RigOptions;
  readonly #hosts = new Map<HostRole, Host>();
  readonly #apart = new Set<Host>();
  readonly #swollen = new Set<Host>();
  readonly #attached = new Map<Lease, Set<Host>>();
  readonly #spoiled = new Map<Session, Host>();

  constructor(options: RigOptions) {
    this.#o = options;
  }

  async lease(): Promise<Lease> {
    const lease = await this.#o.engine.lease({ mode: this.#o.path.mode });
    this.scopes.push(() => lease.release({ keep: this.#o.keep }));
    return lease;
  }

  async open(options: OpenOptions = {}): Promise<Rig> {
    const lease = options.lease ?? (await this.lease());
    const host = await this.#hostFor(options);
    await this.#attach(lease, host);
    const opened = await this.#openSubject(
      lease,
      host,
      options.wrapped ? [`${this.#o.path.contract}/pass-through`] : [],
    );
    const subject = options.mayDie ? mortal(opened) : opened;
    this.scopes.push(() => subject.close());
    return { lease, subject, read: this.#reader(lease, host), quiet: () => this.#quiet(lease, host) };
  }

  /** Fails the guard for what its subjects did outside of any call: errors that nobody caught, a loop without end. */
  async mustBeQuiet(): Promise<void> {
    for (const host of this.#hosts.values()) {
      // What was thrown before is told before the answer.
      const answers = host.ended !== undefined || (await host.answers(answersWithin));
      const [stray] = host.takeStrays();
      if (stray) throw new Violation(`the subject threw outside any promise: ${stray.name}: ${stray.message}`);
      if (!answers)
        throw new Violation('after its calls had settled the subject began to loop: its thread answers no more');
    }
  }

  /** What the subjects wrote to the console. */
  console(): { bytes: number; text: string } {
    const parts = [...this.#hosts.values()].map((host) => host.takeConsole());
    return { bytes: parts.reduce((sum, p) => sum + p.bytes, 0), text: parts.map((p) => p.text).join('') };
  }

  /** Whether a host's thread is busy and does not even answer, in as much time as a guard has. */
  async areStuck(limit: number): Promise<boolean> {
    const within = Math.min(answersWithin, limit);
    for (const host of [...this.#hosts.values(), ...this.#apart]) {
      if (host.ended === undefined && !(await host.answers(within))) return true;
    }
    return false;
  }

  /** Ends the hosts at once; whoever waits for them learns it. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#spoiled.keys()].map((session) => this.#countLies(session)));
    await Promise.all([...this.#hosts.values(), ...this.#apart].map((host) => host.terminate()));
  }

  /** Lets go of everything; hosts that are not sound, or that do not let go, are not used again. */
  async end(sound: boolean): Promise<void> {
    if (!sound) await this.abandon();
    let closed = false;
    try {
      await this.scopes.close();
      closed = true;
    } finally {
      for (const host of this.#hosts.values()) {
        await this.#o.pool.giveBack(host, sound && closed && !this.#swollen.has(host));
      }
      this.#hosts.clear();
    }
  }

  #hostFor({ mayDie, world, anotherHost }: OpenOptions): Promise<Host> {
    // An engine that is a server dies alone.
    if (mayDie && this.#o.path.provider.inProcess) {
      if (this.#o.pool.kind === 'inline') {
        throw new NotApplicable('host', 'needs a process that can be killed; the inline host is the judge itself');
      }
      return this.#hostApart({ kind: 'process', ...(world && { world }) });
    }
    return world ? this.#hostApart({ world }) : this.#host(anotherHost ? 'rival' : 'subject');
  }

  async #host(role: HostRole): Promise<Host> {
    const there = this.#hosts.get(role);
    if (there) return there;
    const host = await this.#taken();
    host.takeConsole();
    host.takeStrays();
    this.#hosts.set(role, host);
    return host;
  }

  async #taken(apart?: Apart): Promise<Host> {
    try {
      return await this.#o.pool.take(apart);
    } catch (error) {
      // The backend had been loaded before.
      if (!(error instanceof HostRefused || error instanceof HostEnded)) throw error;
      throw new SubjectDied(`the backend could not be loaded once more: ${error.message}`);
    }
  }

  /** A host unlike the others, for the part of the guard that asked for it. */
  async #hostApart(apart: Apart): Promise<Host> {
    const host = await this.#taken(apart);
    host.takeConsole();
    host.takeStrays();
    this.#apart.add(host);
    this.scopes.push(async () => {
      this.#apart.delete(host);
      await this.#o.pool.giveBack(host, host.takeStrays().length === 0, apart);
    });
    return host;
  }

  async #attach(lease: Lease, host: Host): Promise<void> {
    const hosts = this.#attached.get(lease) ?? new Set<Host>();
    this.#attached.set(lease, hosts);
    if (hosts.has(host)) return;
    const leave = await lease.attach(linkTo(host, lease)).catch((error: unknown) => {
      throw error instanceof HostEnded ? new SubjectDied(endOf(host, error)) : error;
    });
    hosts.add(host);
    this.scopes.push(async () => {
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
    if (mutants.length > 0) this.#spoiled.set(session, host);
    return {
      members: session.members,
      call: (member: string, args: unknown[], options?: CallOptions) => {
        const items = sizeOf(args[0]);
        this.items += items;
        if (items > swelling) this.#swollen.add(host);
        const what = `${member} (${count(items, 'items')})`;
        return this.#asked(host, what, () => this.#o.deadline.call(session.call(member, args, options)));
      },
      begin: () => this.#asked(host, 'beginning a transaction', () => session.begin()),
      close: async () => {
        await this.#countLies(session);
        if (host.ended === undefined) await this.#asked(host, 'closing the subject', () => session.close());
      },
    };
  }

  /** Asks a subject that is about to go how often it has lied; one whose thread answers no more cannot tell. */
  async #countLies(session: Session): Promise<void> {
    const host = this.#spoiled.get(session);
    if (!this.#spoiled.delete(session) || !host || host.ended !== undefined || !(await host.answers(answersWithin)))
      return;
    const lies = await session.lies().catch(() => ({}));
    this.lies += Object.values(lies).reduce((sum, n) => sum + n, 0);
  }

  /** Asks a host on behalf of the subject; what goes wrong there is the subject's fault. */
  async #asked<T>(host: Host, what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#awaited(what, ask());
    } catch (error) {
      if (error instanceof HostRefused) {
        throw new Violation(`${what} failed: ${error.failure.name}: ${error.failure.message}`);
      }
      if (error instanceof HostEnded) throw new SubjectDied(endOf(host, error));
      throw error;
    }
  }

  #reader(lease: Lease, host: Host): Rig['read'] {
    const { statements, ownProbe } = this.#o.path;
    if (!ownProbe) {
      return async (what = 'rows') => {
        const statement = statements[what];
        if (statement === undefined) throw new NotApplicable('backend', `it has no statement that reads its ${what}`);
        try {
          return await this.#awaited('reading by the probe', lease.read(statement));
        } catch (error) {
          // The statement is the backend's; what else may go wrong has a name of its own.
          const isWord = error instanceof Error && (error.constructor === Error || error instanceof HostRefused);
          if (!isWord) throw error;
          throw new Violation(`the statement that is to read the ${what} failed: ${error.message}`);
        }
      };
    }
    let session: Session | undefined;
    return async (what) => {
      // A database in the subject's own memory can be read nowhere else.
      const home = this.#o.facts.lacks.twoHosts === undefined ? await this.#host('probe') : host;
      try {
        session ??= await this.#openProbe(lease, home, () => {
          session = undefined;
        });
        return await this.#awaited(`reading by ${probeOfItsOwn}`, session.rows(what));
      } catch (error) {
        if (error instanceof HostRefused && error.failure.name === 'WrongProbe') {
          throw new Violation(`the backend's own probe: ${error.message}`);
        }
        // A probe of the backend's own has no other way to say that what it reads is not there.
        if (error instanceof HostRefused) return { missing: `what it reads (${error.failure.message})` };
        if (error instanceof HostEnded) throw new SubjectDied(endOf(home, error));
        throw error;
      }
    };
  }

  /** A timer may send a statement, and an answer may set a timer: both are waited for, until neither has anything new. */
  async #quiet(lease: Lease, host: Host): Promise<Quiet> {
    const startedAt = performance.now();
    const quiet: Quiet = { engine: '', timers: 0, milliseconds: 0, unfinished: false };
    let openRounds = 0;
    // An answer reaches the subject after the engine was found quiet, and what it does then is seen a round later.
    for (let rounds = 0; rounds < 2 && quiet.milliseconds < longestUnrest; rounds++) {
      const fired = host.ended === undefined ? await this.#timersOf(host) : 0;
      const { words, stirred, open } = await this.#awaited('waiting until the engine is quiet', lease.quiet());
      if (fired > 0 || stirred) rounds = -1;
      // What is open at one moment may be a library's own, which comes again and again.
      openRounds = open ? openRounds + 1 : 0;
      quiet.unfinished = openRounds > 2;
      quiet.engine = words;
      quiet.timers += fired;
      quiet.milliseconds = Math.round(performance.now() - startedAt);
    }
    return quiet;
  }

  async #timersOf(host: Host): Promise<number> {
    const what = "waiting until the subject's timers are quiet";
    return (await this.#asked(host, what, () => host.quiet())).timers;
  }

  async #openProbe(lease: Lease, host: Host, closed: () => void): Promise<Session> {
    await this.#attach(lease, host);
    const { variant, contract } = this.#o.path;
    const opening = host.open({ as: 'probe', variant, contract, site: lease.site });
    const session = await this.#awaited(`opening ${probeOfItsOwn}`, opening);
    this.scopes.push(async () => {
      closed();
      if (host.ended === undefined) await this.#asked(host, `closing ${probeOfItsOwn}`, () => session.close());
    });
    return session;
  }

  /** Waits for the subject, but not beyond the guard's deadline. */
  async #awaited<T>(what: string, work: Promise<T>): Promise<T> {
    const since = performance.now();
    work.catch(() => {});
    try {
      return await this.#o.deadline.race(work);
    } catch (error) {
      // Of calls that wait together the first to be called is told first.
      if (error instanceof DeadlinePassed) this.unanswered ??= { what, waited: performance.now() - since };
      throw error;
    }
  }
}

/** How many items a call has: those of a list, or of the window that is its first argument. */
function sizeOf(argument: unknown): number {
  const items = (argument as { slots?: unknown } | null)?.slots ?? argument;
  return Array.isArray(items) ? items.length : 1;
}

function linkTo(host: Host, lease: Lease): AgentLink {
  const call: AgentLink['call'] = (method, args) => host.agent(lease.site, method, args);
  return host.kind === 'process' ? { call, kill: () => host.terminate() } : { call };
}

/** A subject whose process may be killed: that ends its calls, and not the guard. */
function mortal(subject: Subject): Subject {
  return {
    ...subject,
    call: (...args) =>
      subject.call(...args).catch((error: unknown) => {
        if (!(error instanceof SubjectDied)) throw error;
        return { threw: { name: 'HostEnded', message: error.message } };
      }),
    close: () =>
      subject.close().catch((error: unknown) => {
        if (!(error instanceof SubjectDied)) throw error;
      }),
  };
}

function endOf(host: Host, error: HostEnded): string {
  return `the subject ended its ${host.kind === 'process' ? 'process' : 'thread'}: ${host.ended ?? error.message}`;
}
