import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { ContractName, Ports } from '../contracts/ports.ts';
import type { Sites } from '../providers/sites.ts';
import { checkDeclaration } from './declaration.ts';
import { contractNames, portShapes } from './port-shapes.ts';
import { print } from './print.ts';

export { declarationOf } from './declaration.ts';

/** Reads what was really stored, with statements of its own. Runs in a host of its own, never beside the subject. */
export interface Probe {
  /** All rows of the namespace, or `{ missing }` when the namespace is not there. */
  rows(): Found | Promise<Found>;
  /** For `materialize-window`: the schedules, and the rows of the audit. */
  schedules?(): Found | Promise<Found>;
  audits?(): Found | Promise<Found>;
  close?(): void | Promise<void>;
}

/** What a backend gives beside the statement for its rows, each in the engine's own language. */
export interface Statements {
  'send-batch': {
    /** Reads the rows of a status table, one for each message: columns `messageId` and `status`. */
    statuses?: string;
  };
  'materialize-window': {
    /** Reads the schedules: columns `id`, `status`, `version`, `cursor`, `runs`, `error`, `lastRunAt`. */
    schedules?: string;
    /** Reads the audit: columns `schedule`, `event`, `slotAt`, `createdAt`. */
    audits?: string;
    /** Cancels the schedule whose id is its only parameter, as another session does. */
    cancel?: string;
    /** Inserts a child of the schedule and for the slot that are its two parameters. */
    addChild?: string;
  };
}

/** One variant of a backend for one contract. */
export type Entry<C extends ContractName = ContractName, S extends Site = Site> = CommonEntry<C, S> & Statements[C];

interface CommonEntry<C extends ContractName, S extends Site> {
  /** What the variant offers, gives up and claims; what it leaves out is strict. */
  declare?: Partial<Declaration> | ((facts: EngineFacts) => Partial<Declaration> | Promise<Partial<Declaration>>);
  /** Creates the namespace where it is not there yet, connects, and returns the port. */
  open(site: S): Ports[C] | Promise<Ports[C]>;
  /** The statement by which the provider's probe reads the stored rows; column aliases name the fields. */
  rows?: string;
  /** Instead of `rows`: a probe of the backend's own, for example a second instance of the library. */
  probe?(site: S): Probe | Promise<Probe>;
}

export type Variant<S extends Site = Site> = { [C in ContractName]?: Entry<C, S> };

/** A backend as the toolkit runs it. */
export interface Backend {
  name: string;
  provider: string;
  variants: Record<string, Variant>;
}

interface Named<P> {
  name: string;
  /** The engine that the backend writes to. */
  provider: P;
}
type SiteOf<P> = P extends keyof Sites ? Sites[P] : Site;

/** What an author writes: contracts at the top level when there is one variant, else a table of variants. */
export type BackendDefinition<P extends string> = Named<P> &
  ((Variant<SiteOf<P>> & { variants?: never }) | { variants: Record<string, Variant<SiteOf<P>>> });

/** The name that the only variant gets when an author names none. */
const onlyVariant = 'default';

/**
 * Describes a backend: its engine, and for each contract how to open it and how to read what it stored.
 * Throws a TypeError that names what is wrong and what would be right.
 */
export function defineBackend<const P extends string>(definition: BackendDefinition<P>): Backend {
  const given: unknown = definition;
  if (!isRecord(given)) throw new TypeError(`a backend must be an object, not ${print(given)}`);
  const { name, provider, variants, ...contracts } = given;
  if (!isText(name)) throw new TypeError(`a backend must have a name, a text that is not blank; it is ${print(name)}`);
  const backend = `backend ${print(name)}`;
  if (!isText(provider)) {
    throw new TypeError(`${backend} must name its provider, such as 'sqlite'; it is ${print(provider)}`);
  }
  if (variants === undefined) return { name, provider, variants: { [onlyVariant]: checkVariant(contracts, backend) } };

  const [stray] = Object.keys(contracts);
  if (stray !== undefined) {
    throw new TypeError(`${backend} has variants, and beside them ${print(stray)}; move that into a variant`);
  }
  if (!isRecord(variants) || Object.keys(variants).length === 0) {
    throw new TypeError(`${backend}: variants must be an object with at least one variant, not ${print(variants)}`);
  }
  const checked = Object.entries(variants).map(([variant, value]) => {
    if (!/^[\w.-]+$/.test(variant)) {
      const rule = 'a variant is named by letters, digits, dots, dashes and underscores, as it is part of a path';
      throw new TypeError(`${backend}: variant ${print(variant)} has a wrong name; ${rule}`);
    }
    return [variant, checkVariant(value, `${backend}, variant ${print(variant)}`)];
  });
  return { name, provider, variants: Object.fromEntries(checked) };
}

function checkVariant(value: unknown, where: string): Variant {
  const known = `the contracts are ${contractNames.join(', ')}`;
  if (!isRecord(value)) throw new TypeError(`${where} must be an object of contracts, not ${print(value)}; ${known}`);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  if (entries.length === 0) throw new TypeError(`${where} has no contract; ${known}`);
  for (const [contract, entry] of entries) {
    if (!(contractNames as string[]).includes(contract)) {
      throw new TypeError(`${where} has an unknown contract ${print(contract)}; ${known}`);
    }
    checkEntry(entry, contract as ContractName, `${where}, ${contract}`);
  }
  return Object.fromEntries(entries);
}

function checkEntry(entry: unknown, contract: ContractName, where: string): void {
  if (!isRecord(entry)) throw new TypeError(`${where} must be an object with open and rows, not ${print(entry)}`);
  const { statements } = portShapes[contract];
  const fields = ['declare', 'open', 'rows', ...Object.keys(statements), 'probe'];
  for (const key of Object.keys(entry)) {
    if (!fields.includes(key)) {
      throw new TypeError(`${where} has an unknown field ${print(key)}; its fields are ${fields.join(', ')}`);
    }
  }
  const { declare, open, rows, probe } = entry;
  if (typeof open !== 'function') {
    throw new TypeError(`${where} needs open(site), a function that returns the port; it is ${print(open)}`);
  }
  if (rows === undefined && probe === undefined) {
    const rule = 'give rows, the statement that reads the stored rows, or probe(site), a reader of your own';
    throw new TypeError(`${where} does not say how to read what was stored; ${rule}`);
  }
  if (rows !== undefined && probe !== undefined) {
    throw new TypeError(`${where} has both rows and probe; give rows for a statement or probe for a reader, not both`);
  }
  for (const [name, required] of [['rows', false] as const, ...Object.entries(statements)]) {
    const statement = entry[name];
    if (statement === undefined && required && rows !== undefined) {
      throw new TypeError(`${where} needs ${name} beside rows: the statement that reads its ${name}`);
    }
    if (statement !== undefined && !isText(statement)) {
      throw new TypeError(`${where}: ${name} must be the text of a statement, not ${print(statement)}`);
    }
  }
  if (probe !== undefined && typeof probe !== 'function') {
    throw new TypeError(`${where}: probe must be a function of the site, not ${print(probe)}`);
  }
  if (declare !== undefined && typeof declare !== 'function') checkDeclaration(declare, `${where}: declare`);
}

/** The statements that an entry gives, by name. */
export function statementsOf(entry: Entry, contract: ContractName): Record<string, string> {
  const given = entry as unknown as Record<string, string | undefined>;
  const names = ['rows', ...Object.keys(portShapes[contract].statements)];
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
