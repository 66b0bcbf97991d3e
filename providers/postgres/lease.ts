import { randomBytes } from 'node:crypto';
import type { ClientBase } from 'pg';
import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import type {
  AgentLink,
  ArmedFault,
  Fault,
  Found,
  Lease,
  SampleBy,
  Snapshot,
  Sprung,
  Watch,
} from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import type { PostgresSite } from '../sites.ts';
import type { Connections } from './connections.ts';
import { analyse, type PostgresSnapshot, read, restore, snapshot } from './content.ts';
import type { Namespace, Namespaces } from './namespaces.ts';
import { ours } from './sql.ts';
import { removeTrap, rowFaults, setTrap, sprungOf, type TrapFault } from './traps.ts';

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
  readonly #armed = new Set<ArmedFault>();
  #released: Promise<void> | undefined;

  constructor(facts: EngineFacts, site: PostgresSite, namespace: Namespace, landlord: Landlord) {
    this.facts = facts;
    this.site = site;
    this.#namespace = namespace;
    this.#landlord = landlord;
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
    const armed = await this.#armed_(fault);
    this.#armed.add(armed);
    return armed;
  }

  async #armed_(fault: Fault): Promise<ArmedFault> {
    switch (fault.at) {
      case 'row':
      case 'commit':
        return this.#trap(fault);
      default:
        throw new NotApplicable('engine', `there is no means yet for a fault at the ${fault.at}`);
    }
  }

  async #trap(fault: TrapFault): Promise<ArmedFault> {
    const nonce = `${ours}${randomBytes(6).toString('hex')}`;
    await this.#run((client, schema) => setTrap(client, schema, nonce, fault));
    let last: Promise<Sprung> | undefined;
    const count = (): Promise<Sprung> => this.#run((client, schema) => sprungOf(client, schema, nonce, fault));
    return {
      nonce,
      sprung: () => last ?? count(),
      disarm: async () => {
        if (last) return;
        last = count();
        await last;
        await this.#run((client, schema) => removeTrap(client, schema, nonce, fault));
      },
    };
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
