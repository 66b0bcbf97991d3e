import type { Declaration, EngineFacts } from '../contracts/kernel/capabilities.ts';
import type { Found, Site } from '../contracts/kernel/engine.ts';
import type { ContractName, Ports } from '../contracts/ports.ts';
import type { Sites } from '../providers/sites.ts';

/** Reads what was really stored, with statements of its own. Runs in a host of its own, never beside the subject. */
export interface Probe {
  /** All rows of the namespace, or `{ missing }` when the namespace is not there. */
  rows(): Found | Promise<Found>;
  close?(): void | Promise<void>;
}

/** One variant of a backend for one contract. */
export interface Entry<C extends ContractName = ContractName, S extends Site = Site> {
  /** What the variant offers, gives up and claims; what it leaves out is strict. */
  declare?: Partial<Declaration> | ((facts: EngineFacts) => Partial<Declaration>);
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
export const onlyVariant = 'default';
