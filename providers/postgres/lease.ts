import type { ClientBase } from 'pg';
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
  type SampleBy,
  type Snapshot,
  type Stillness,
  type Watch,
} from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { textsOf } from '../callers-table.ts';
import type { Address } from '../provision/server.ts';
import type { PostgresSite } from '../sites.ts';
import type { Tap } from '../wire/index.ts';
import type { Place } from './armed-fault.ts';
import { tablesWithForcedPolicies, writingFunctions } from './catalog.ts';
import type { Connections } from './connections.ts';
import { analyse, callersTable, type PostgresSnapshot, read, restore, snapshot } from './content.ts';
import { isForbidden } from './errors.ts';
import { armFault } from './faults.ts';
import type { Namespace, Namespaces } from './namespaces.ts';
import { beginOther } from './other-transaction.ts';
import { rowFaults } from './traps.ts';
import { watch } from './watching.ts';

/** Milliseconds that a subject is waited for; a library may never be still. */
const longestUnrest = 1000;

/** What a lease needs of its engine. */
export interface Landlord {
  address: Address;
  connections: Connections;
  namespaces: Namespaces;
  keepAll: boolean;
  kept(namespace: Namespace): void;
  /** Kills the server, before this returns; resolves when it is gone. */
  crash(): Promise<Crashed>;
  /** Starts it again; tells in words by what it is the same. */
  recover(): Promise<string>;
  /** The lease has been let go of; its namespace may be dropped, unless it is kept. */
  released(lease: PostgresLease, drop: boolean): void;
}

/** A schema of its own; everything here goes around the subject, by the judge's own connections. */
export class PostgresLease implements Lease {
  readonly facts: EngineFacts;
  readonly site: PostgresSite;
  readonly rowFaults = rowFaults;
  readonly #namespace: Namespace;
  /** What the subject connects to. */
  readonly #tap: Tap;
  readonly #landlord: Landlord;
  readonly #place: Place;
  readonly #armed: ArmedFault[] = [];
  readonly #begun: OtherTransaction[] = [];
  /** The server was killed on this lease's behalf and not started again. */
  #crashed = false;
  #released: Promise<void> | undefined;

  constructor(facts: EngineFacts, site: PostgresSite, namespace: Namespace, tap: Tap, landlord: Landlord) {
    this.facts = facts;
    this.site = site;
    this.#namespace = namespace;
    this.#tap = tap;
    this.#landlord = landlord;
    this.#place = {
      connections: landlord.connections,
      tap,
      schema: namespace.schema,
      crash: () => this.#crash(),
      run: (work) => this.#run(work),
    };
  }

  /** Tells the agent a way around the tap; it is kept in the host's memory alone. */
  async attach(agent: AgentLink): Promise<() => Promise<void>> {
    const { user, password } = this.#namespace;
    await agent.call('bypass', [{ ...this.#landlord.address, user, password } satisfies Address]);
    return async () => void (await agent.call('forget', []));
  }

  read(statement: string): Promise<Found> {
    return this.#run((client) => read(client, statement));
  }

  snapshot(): Promise<PostgresSnapshot> {
    return this.#run((client, schema) => snapshot(client, schema));
  }

  restore(content: Snapshot): Promise<void> {
    return this.#run((client, schema) => restore(client, schema, content as PostgresSnapshot));
  }

  async begin(): Promise<OtherTransaction> {
    const begun = await beginOther(this.#place);
    this.#begun.push(begun);
    return begun;
  }

  callersTable(): Promise<CallersTable> {
    const { user } = this.#namespace;
    return this.#run((client, schema) => callersTable(client, schema, user)).then((table) => ({
      insert: (text) => `INSERT INTO ${table} (text) VALUES ('${text}')`,
      texts: async () => textsOf(await this.read(`SELECT text FROM ${table} ORDER BY text`)),
    }));
  }

  analyse(): Promise<void> {
    return this.#run(analyse);
  }

  wipe(): Promise<void> {
    return this.#landlord.namespaces.wipe(this.#namespace);
  }

  async arm(fault: Fault): Promise<ArmedFault> {
    const lacking = this.facts.lacks[meansOf[fault.at]];
    if (lacking) throw new NotApplicable('engine', lacking);
    const armed = await armFault(this.#place, fault);
    this.#armed.push(armed);
    return armed;
  }

  async crash(): Promise<Crashed> {
    const lacking = this.facts.lacks.crash;
    if (lacking) throw new NotApplicable('engine', lacking);
    this.#tap.note('killed the server (SIGKILL)');
    return this.#crash();
  }

  async recover(): Promise<string> {
    const words = await this.#landlord.recover();
    this.#crashed = false;
    return words;
  }

  quiet(): Promise<Stillness> {
    return this.#tap.quiet(longestUnrest);
  }

  async watch(sample?: SampleBy): Promise<Watch> {
    this.#tap.knowFunctions(await this.#run(writingFunctions));
    return watch(this.#tap, () => this.#landlord.connections.open(this.#namespace.schema), sample);
  }

  release(options: { keep?: boolean } = {}): Promise<void> {
    this.#released ??= this.#leave(options.keep ?? this.#landlord.keepAll);
    return this.#released;
  }

  async #leave(keep: boolean): Promise<void> {
    const { namespaces } = this.#landlord;
    await this.#tap.close();
    // Others need the server.
    if (this.#crashed) await this.recover();
    // A lock of ours would keep the namespace from being dropped; what else cannot be disarmed goes with it.
    for (const begun of this.#begun) await begun.rollback().catch(() => {});
    for (const armed of this.#armed) await armed.disarm().catch(() => {});
    if (keep) {
      await namespaces.keep(this.#namespace);
      this.#landlord.kept(this.#namespace);
    }
    this.#landlord.released(this, !keep);
  }

  #crash(): Promise<Crashed> {
    this.#crashed = true;
    return this.#landlord.crash();
  }

  async #run<T>(work: (client: ClientBase, schema: string) => Promise<T>): Promise<T> {
    const { schema } = this.#namespace;
    const { connections } = this.#landlord;
    try {
      return await connections.run(schema, (client) => work(client, schema));
    } catch (cause) {
      if (!isForbidden(cause)) throw cause;
      const hidden = await connections.run(schema, (client) => tablesWithForcedPolicies(client, schema));
      if (hidden.length === 0) throw cause;
      throw new NotApplicable(
        'engine',
        `row security, which is forced on ${hidden.join(', ')}, hides rows from the judge, who has no role but the subject's; ` +
          'a private server has another, and so does a role with BYPASSRLS',
      );
    }
  }
}
