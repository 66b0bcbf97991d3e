import type { Offer } from '../contracts/kernel/capabilities.ts';
import type { Id, ReportedOutcome } from '../contracts/kernel/outcome.ts';
import type { Message, SendOptions } from '../contracts/send-batch/port.ts';

/** The offer that the use of each field asks for. */
const offerOfField = {
  destination: 'destination',
  delay: 'delay',
  expiration: 'expiration',
  priority: 'priority',
  route: 'route',
  correlationId: 'correlationId',
  headers: 'headers',
  dedupeKey: 'dedupeKey',
  id: 'callerIds',
  columns: 'columns',
  job: 'jobs',
} as const satisfies Record<Exclude<keyof Message, 'body'>, Offer>;

const offerOfOption = {
  transaction: 'transaction',
  signal: 'cancel',
  chunkSize: 'chunkSize',
} as const satisfies Record<keyof SendOptions, Offer>;

/** A call uses what the backend does not offer. */
export class UnsupportedOption extends Error {
  override name = 'UnsupportedOption';
  readonly code = 'UNSUPPORTED_OPTION';
  readonly option: string;
  /** Index of the message that uses it; undefined when the call's options do. */
  readonly position: number | undefined;

  constructor(option: string, position?: number) {
    super(
      position === undefined ? `option ${option} is not supported` : `message ${position}: ${option} is not supported`,
    );
    this.option = option;
    this.position = position;
  }
}

/**
 * Throws `UnsupportedOption` when a message or the call's options use what is not in `offers`; to be called before
 * anything is written. A field whose value is undefined counts as absent. A field that no offer covers is refused, too.
 */
export function refuseOthers(offers: readonly Offer[], messages: readonly Message[], options: SendOptions = {}): void {
  const offered: ReadonlySet<string> = new Set(offers);
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined && !offered.has(lookUp(offerOfOption, option))) throw new UnsupportedOption(option);
  }
  messages.forEach((message, position) => {
    for (const [field, value] of Object.entries(message)) {
      if (field === 'body' || value === undefined) continue;
      if (!offered.has(lookUp(offerOfField, field))) throw new UnsupportedOption(field, position);
    }
    if (message.body instanceof Uint8Array && !offered.has('binary')) throw new UnsupportedOption('binary', position);
  });
}

function lookUp(table: Readonly<Record<string, Offer>>, name: string): string {
  return Object.hasOwn(table, name) ? table[name]! : '';
}

/** The item was stored; null where the backend hands out no ids. */
export function stored(id: Id | null): ReportedOutcome {
  return { stored: id };
}

/** The item's key was stored already; with the id of that row where it is known. */
export function duplicate(id: Id | null): ReportedOutcome {
  return { duplicate: id };
}

/** The item was not stored. */
export function failed(error: unknown): ReportedOutcome {
  return { failed: error };
}

/** The answer was lost: the item may be stored or not. */
export function unknown(error: unknown): ReportedOutcome {
  return { unknown: error };
}
