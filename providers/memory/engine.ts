import { randomUUID } from 'node:crypto';
import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import {
  type AgentLink,
  type ArmedFault,
  type CallersTable,
  type Crashed,
  type Fault,
  type Found,
  type Lease,
  meansOf,
  type OtherTransaction,
  type RowFaultKind,
  type SampleBy,
  type Snapshot,
  type Sprung,
  type Stillness,
  type Watch,
  type Watched,
} from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { AttachedHosts, addSprung, joinWatched } from '../attached-hosts.ts';
import { callersTableName, textsOf } from '../callers-table.ts';
import { untilNoneIsOpen } from '../open-transactions.ts';
import type { DoctorCheck, Engine, Kept } from '../provider.ts';
import type { MemorySite } from '../sites.ts';
import { examine } from './doctor.ts';
import type { StoredRow } from './store.ts';

const facts: EngineFacts = {
  provider: 'memory',
  mode: 'memory',
  version: '1',
  lacks: {
    wire: 'the store is called, not spoken to: there is no round trip to count',
    identityStart: 'the store numbers its rows from 1',
    identityStep: 'the store numbers its rows in steps of 1',
    sessionZone: 'the store has no sessions',
    paramLimit: 'the store has no statements',
    lock: 'the store has no session beside the subject that could hold one of its locks',
    cut: 'the store is called, not spoken to: there is no connection to cut',
    hold: 'the store is called, not spoken to: there is nothing to hold',
    abort: 'the store has no time-outs and no sessions',
    crash: 'the store ends with the process that holds it',
    twoHosts: 'the store lives in one thread',
  },
};

/** The model as an engine: every lease is a store of its own name in the thread of whoever opens it. */
export class MemoryEngine implements Engine {
  readonly provider = 'memory';
  readonly version = facts.version;

  facts(mode: string): EngineFacts {
    if (mode !== facts.mode) throw new TypeError(`memory has no mode ${mode}`);
    return facts;
  }

  async lease({ mode }: { mode: string }): Promise<Lease> {
    return new MemoryLease(this.facts(mode));
  }

  examine(mode: string): Promise<DoctorCheck[]> {
    return examine(() => this.lease({ mode }));
  }

  /** A store dies with the host that held it. */
  kept(): readonly Kept[] {
    return [];
  }

  async stop(): Promise<void> {}
}

interface MemorySnapshot extends Snapshot {
  content: Record<string, StoredRow[]>;
}

/** Reads and disturbs a store through the agent in the host that holds it. A statement is the name of a table, or `table by column`. */
class MemoryLease implements Lease {
  readonly facts: EngineFacts;
  readonly site: MemorySite = { provider: 'memory', mode: 'memory', name: `ct-${randomUUID()}` };
  readonly rowFaults: readonly RowFaultKind[] = ['trigger', 'serialization'];
  readonly #hosts = new AttachedHosts();
  /** Those that have left hold the store as well, until it is released. */
  readonly #holders = new Set<AgentLink>();

  constructor(engineFacts: EngineFacts) {
    this.facts = engineFacts;
  }

  attach(link: AgentLink): Promise<() => Promise<void>> {
    this.#holders.add(link);
    return this.#hosts.attach(link);
  }

  async read(statement: string): Promise<Found> {
    return ((await this.#ask('read', statement)) as Found) ?? { missing: 'no host holds the store' };
  }

  async snapshot(): Promise<MemorySnapshot> {
    const content = ((await this.#ask('snapshot')) ?? {}) as MemorySnapshot['content'];
    const tables = Object.fromEntries(Object.entries(content).map(([table, rows]) => [table, rows.length]));
    return { tables, content };
  }

  async restore(snapshot: Snapshot): Promise<void> {
    await this.#ask('restore', (snapshot as MemorySnapshot).content);
  }

  async begin(): Promise<OtherTransaction> {
    throw new NotApplicable('engine', this.facts.lacks.lock!);
  }

  async callersTable(): Promise<CallersTable> {
    await this.#ask('createTable', callersTableName);
    return {
      insert: (text) => `insert ${callersTableName} ${JSON.stringify({ text })}`,
      texts: async () => textsOf(await this.read(callersTableName)).sort(),
    };
  }

  /** The store plans nothing. */
  async analyse(): Promise<void> {}

  async wipe(): Promise<void> {
    await this.#ask('wipe');
  }

  async arm(fault: Fault): Promise<ArmedFault> {
    const lacking = facts.lacks[meansOf[fault.at]];
    if (lacking) throw new NotApplicable('engine', lacking);
    if (fault.at === 'row' && !this.rowFaults.includes(fault.kind)) {
      throw new NotApplicable('engine', `the store cannot fail a row by ${fault.kind}`);
    }
    const nonce = `ct-fault-${randomUUID()}`;
    await this.#hosts.order(nonce, 'arm', [nonce, fault]);
    let last: Sprung | undefined;
    const sprung = async (): Promise<Sprung> => last ?? addSprung((await this.#hosts.reports(nonce)) as Sprung[]);
    const disarm = async (): Promise<void> => {
      last ??= addSprung((await this.#hosts.revoke(nonce)) as Sprung[]);
    };
    return { nonce, sprung, disarm };
  }

  async crash(): Promise<Crashed> {
    throw new NotApplicable('engine', this.facts.lacks.crash ?? 'cannot be killed yet');
  }

  async recover(): Promise<string> {
    return 'the database was opened again';
  }

  async quiet(): Promise<Stillness> {
    return untilNoneIsOpen(async () => Number((await this.#ask('openTransactions')) ?? 0));
  }

  async watch(sample?: SampleBy): Promise<Watch> {
    const key = `watch-${randomUUID()}`;
    await this.#hosts.order(key, 'watch', [key, sample ?? null]);
    return { stop: async () => joinWatched((await this.#hosts.revoke(key)) as Watched[]) };
  }

  async release(options: { keep?: boolean } = {}): Promise<void> {
    if (options.keep) return;
    // A host that has ended took its store along.
    await Promise.all([...this.#holders].map((link) => link.call('forget', []).catch(() => {})));
  }

  async #ask(method: string, ...args: unknown[]): Promise<unknown> {
    return (await this.#hosts.callAll(method, args)).at(-1);
  }
}
