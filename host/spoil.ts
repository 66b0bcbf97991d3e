import type { Site } from '../contracts/kernel/engine.ts';
import type { Hand, Mutant, MutantTools } from '../contracts/kernel/mutant.ts';
import type { ContractName } from '../contracts/ports.ts';
import { siblingModule } from '../providers/sibling-module.ts';
import { type Port, portOf } from './port.ts';
import { print } from './print.ts';

/** Loads every behavioural mutant there is; hosts that spoil nothing never do. */
export async function loadMutants(): Promise<Mutant[]> {
  const module = (await import(siblingModule('../contracts/mutants', import.meta.url).href)) as { mutants: Mutant[] };
  return module.mutants;
}

/** The mutants with these ids, in this order. Throws for an id that is not known. */
export function pickMutants(all: readonly Mutant[], ids: readonly string[]): Mutant[] {
  return ids.map((id) => {
    const found = all.find((mutant) => mutant.id === id);
    if (!found) throw new Error(`there is no mutant ${print(id)}`);
    return found;
  });
}

/** Where a subject opens that these mutants spoil. */
export function spoilSite(site: Site, mutants: readonly Mutant[]): Site {
  return mutants.reduce((where, mutant) => mutant.site?.(where) ?? where, site);
}

/** A port behind mutants, and how often each of them has lied so far. */
export interface Spoiled {
  port: Port;
  lies: Record<string, number>;
  /** What the mutants do before anybody gets the subject. */
  opening: (() => unknown)[];
  /** What the mutants do before the subject is closed. */
  closing: (() => unknown)[];
}

/** Puts a port behind mutants, the first one innermost. */
export function spoil(
  port: Port,
  mutants: readonly Mutant[],
  where: { contract: ContractName; site: Site; hand: () => Hand },
): Spoiled {
  const lies: Record<string, number> = {};
  const opening: Spoiled['opening'] = [];
  const closing: Spoiled['closing'] = [];
  let spoiled = port;
  for (const mutant of mutants) {
    lies[mutant.id] = 0;
    const lied = () => {
      lies[mutant.id]! += 1;
    };
    spoiled = portOf(mutant.wrap(spoiled, toolsAt(where, lied, { opening, closing })), where.contract);
  }
  return { port: spoiled, lies, opening, closing };
}

function toolsAt(
  { site, hand }: { site: Site; hand: () => Hand },
  lied: () => void,
  { opening, closing }: Pick<Spoiled, 'opening' | 'closing'>,
): MutantTools {
  return {
    site,
    lied,
    get hand() {
      return hand();
    },
    atOpen: (work) => void opening.push(work),
    atClose: (work) => void closing.push(work),
    later: (work, milliseconds) => {
      // A late lie that finds its lease gone is no failure of the subject, so it may fail unheard.
      setTimeout(() => void (async () => work())().catch(() => {}), milliseconds);
    },
  };
}
