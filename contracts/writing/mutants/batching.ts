import type { Need } from '../../kernel/capabilities.ts';
import { type Mutant, type MutantTools, mutant } from '../../kernel/mutant.ts';
import type { BatchOptions, WriteBatch } from './replies.ts';

/** What a lie needs to know of a contract's batches, so that it can be told of every writing contract. */
export interface Batching<Item, Port = unknown> {
  contract: string;
  /** One item, and several of them, in words: `message`, `messages`. */
  item: string;
  items: string;
  /** What a backend must have for its batch call to be spoiled. */
  needs: Need[];
  /** Guards of the contract's own that find a common lie as well, by the id of its mutant. */
  alsoFoundBy: Readonly<Record<string, readonly string[]>>;
  /** The subject with its batch call spoiled; `spoil` is called once. */
  spoiled(subject: Port, spoil: (honest: WriteBatch<Item>) => WriteBatch<Item>): Port;
  /** Whether a call is left to the lies about what it uses, since it is no matter of this guard. */
  isLeftToOthers(target: string, items: readonly Item[], options: BatchOptions): boolean;
  /** Whether only the engine can have a reason to refuse these items. */
  areOrdinary(items: readonly Item[]): boolean;
  body(item: Item): unknown;
  withBody(item: Item, body: unknown): Item;
  /** The names of the options that an item sets. */
  optionsOf(item: Item): string[];
  /** Stores a row that belongs to no item of a guard; whether the subject took one. */
  storeStranger(subject: Port): Promise<boolean>;
}

/** A mutant that lies in the batch call only. Guards without the name of a contract are those of its own contract. */
export type BatchLie<Item> = Pick<Mutant, 'id' | 'lie' | 'target'> &
  Partial<Pick<Mutant, 'alsoKilledBy' | 'timeout' | 'needs' | 'cannot' | 'only' | 'site'>> & {
    /** Called once for each subject; may keep state. */
    spoil(honest: WriteBatch<Item>, tools: MutantTools, storeStranger: () => Promise<boolean>): WriteBatch<Item>;
  };

/** The mutant of a lie; it is honest in a call that uses what other guards are about. */
export function batchMutant<Item, Port>(batching: Batching<Item, Port>, m: BatchLie<Item>): Mutant<Port> {
  const { spoil, alsoKilledBy = [], needs = [], ...described } = m;
  const { contract, alsoFoundBy } = batching;
  const target = named(contract, m.target);
  return mutant<Port>({
    ...described,
    target,
    alsoKilledBy: [...alsoKilledBy, ...(alsoFoundBy[m.id] ?? [])].map((guard) => named(contract, guard)),
    needs: [...batching.needs, ...needs],
    wrap: (subject, tools) =>
      batching.spoiled(subject, (honest) => {
        const spoiled = spoil(honest, tools, () => batching.storeStranger(subject));
        return (items, options) => (batching.isLeftToOthers(target, items, options) ? honest : spoiled)(items, options);
      }),
  });
}

/** A guard by its whole name. */
export function named(contract: string, guard: string): string {
  return guard.includes('/') ? guard : `${contract}/${guard}`;
}

/**
 * A private copy of items that only the engine can have a reason to refuse, or undefined.
 *
 * Lies about the engine's failures are told of these alone, so that they never get in the way of guards about refusals.
 */
export function ordinaryCopy<Item>(
  { areOrdinary }: Pick<Batching<Item>, 'areOrdinary'>,
  items: readonly Item[],
): Item[] | undefined {
  return areOrdinary(items) ? structuredClone([...items]) : undefined;
}

/** A new port with the subject's members as they are. */
export function passedThrough<Port extends object>(subject: Port): Port {
  const members = Object.entries(subject).filter(([, member]) => typeof member === 'function');
  return Object.fromEntries(members.map(([name, member]) => [name, member.bind(subject)])) as Port;
}
