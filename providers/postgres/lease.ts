import type { ClientBase } from 'pg';
import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import {
  type AgentLink,
  type ArmedFault,
  type Fault,
  type Found,
  type Lease,
  meansOf,
  type SampleBy,
  type Snapshot,
  type Watch,
} from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import type { PostgresSite } from '../sites.ts';
import type { Place } from './armed-fault.ts';
import type { Connections } from './connections.ts';
import { analyse, type PostgresSnapshot, read, restore, snapshot } from './content.ts';
import { armFault } from './faults.ts';
import type { Namespace, Namespaces } from './namespaces.ts';
import { rowFaults } from './traps.ts';

/** What a lease needs of its engine. */
export interface Landlord {
  connections: Connections;
  namespaces: Namespaces;
  keepAll: boolean;
  kept(namespace: Namespace): void;
  /** The lease has been let go of; its namespace may be dropped, unless it is kept. */
  released(lease: PostgresLease, drop: boolean): void;
}

/** A schema of its own; everything here goes around the subject, by the judge's own connections. */
export class PostgresLease implements Lease {
  readonly facts: EngineFacts;
  readonly site: PostgresSite;
  readonly rowFaults = rowFaults;
  readonly #namespace: Namespace;
  readonly #landlord: Landlord;
  readonly #place: Place;
  readonly #armed: ArmedFault[] = [];
  #released: Promise<void> | undefined;

  constructor(facts: EngineFacts, site: PostgresSite, namespace: Namespace, landlord: Landlord) {
    this.facts = facts;
    this.site = site;
    this.#namespace = namespace;
    this.#landlord = landlord;
    this.#place = {
      connections: landlord.connections,
      schema: namespace.schema,
      role: namespace.role,
      run: (work) => this.#run(work),
    };
  }

  async attach(_agent: AgentLink): Promise<() => Promise<void>> {
    return async () => {};
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

  async watch(_sample?: SampleBy): Promise<Watch> {
    throw new NotApplicable('engine', 'the wire is not tapped yet');
  }

  release(options: { keep?: boolean } = {}): Promise<void> {
    this.#released ??= this.#leave(options.keep || this.#landlord.keepAll);
    return this.#released;
  }

  async #leave(keep: boolean): Promise<void> {
    const { namespaces } = this.#landlord;
    // A lock of ours would keep the namespace from being dropped.
    for (const armed of this.#armed) await armed.disarm();
    if (keep) {
      await namespaces.keep(this.#namespace);
      this.#landlord.kept(this.#namespace);
    }
    this.#landlord.released(this, !keep);
  }

  #run<T>(work: (client: ClientBase, schema: string) => Promise<T>): Promise<T> {
    const { schema } = this.#namespace;
    return this.#landlord.connections.run(schema, (client) => work(client, schema));
  }
}
