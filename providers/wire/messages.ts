/** Reads the fields of a message body that may be cut short or be no such message: what is not there reads as empty. */
export class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get atEnd(): boolean {
    return this.#at >= this.#body.length;
  }

  byte(): number {
    return this.#body[this.#at++] ?? 0;
  }

  int16(): number {
    return this.#take(2)?.readUInt16BE() ?? 0;
  }

  int32(): number {
    return this.#take(4)?.readInt32BE() ?? 0;
  }

  bytes(length: number): Buffer {
    const from = Math.min(this.#at, this.#body.length);
    this.#at = from + Math.max(0, length);
    return this.#body.subarray(from, this.#at);
  }

  text(): string {
    const from = Math.min(this.#at, this.#body.length);
    const zero = this.#body.indexOf(0, from);
    const to = zero === -1 ? this.#body.length : zero;
    this.#at = to + 1;
    return this.#body.toString('utf8', from, to);
  }

  #take(length: number): Buffer | undefined {
    const bytes = this.bytes(length);
    return bytes.length === length ? bytes : undefined;
  }
}

/** The type byte of a message by its letter. */
export function code(letter: string): number {
  return letter.charCodeAt(0);
}

/** How much of a text is kept; longer ones are followed by their length. */
const text = 64 * 1024;
const short = 8 * 1024;

function bounds(byLetter: Record<string, number>): Record<number, number> {
  return Object.fromEntries(Object.entries(byLetter).map(([letter, bound]) => [code(letter), bound]));
}

/** The messages of a client that are looked at, and how much of their bodies. */
export const fromClient = bounds({
  Q: text,
  P: text,
  B: short,
  D: 0,
  E: short,
  C: short,
  F: 4,
  H: 0,
  S: 0,
  c: 0,
  f: 0,
});

/** The messages of a server that are looked at, and how much of their bodies. DataRow and CopyData are not. */
export const fromServer = bounds({
  1: 0,
  2: 0,
  3: 0,
  T: 0,
  n: 0,
  V: 0,
  C: 256,
  E: short,
  G: 0,
  H: 0,
  I: 0,
  K: 512,
  R: short,
  W: 0,
  Z: 1,
  c: 0,
  s: 0,
});

/** What an ErrorResponse says. */
export function readError(body: Buffer): { sqlstate: string; message: string } {
  const fields = new Fields(body);
  const error = { sqlstate: '', message: '' };
  while (!fields.atEnd) {
    const field = fields.byte();
    if (field === 0) break;
    const value = fields.text();
    if (field === code('C')) error.sqlstate = value;
    if (field === code('M')) error.message = value;
  }
  return error;
}

/** What a Bind says; of the parameters the first few, each shortened, NULL as such and what is no text in hex. */
export function readBind(body: Buffer): { portal: string; prepared: string; parameters: () => string[] } {
  const fields = new Fields(body);
  const portal = fields.text();
  const prepared = fields.text();
  return { portal, prepared, parameters: () => readParameters(fields) };
}

const shownParameters = 6;
const shownLength = 40;

function readParameters(fields: Fields): string[] {
  const formats = fields.int16();
  fields.bytes(2 * formats);
  const count = fields.int16();
  const shown: string[] = [];
  for (let n = 0; n < Math.min(count, shownParameters) && !fields.atEnd; n++) {
    const length = fields.int32();
    shown.push(length === -1 ? 'NULL' : showValue(fields.bytes(length)));
  }
  if (count > shown.length) shown.push(`… ${count - shown.length} more`);
  return shown;
}

/** How many parameters there were, told from those that are shown. */
export function parameterCount(shown: readonly string[]): number {
  const more = /^… (\d+) more$/.exec(shown.at(-1) ?? '')?.[1];
  return more === undefined ? shown.length : shown.length - 1 + Number(more);
}

function showValue(bytes: Buffer): string {
  const value = bytes.toString('utf8', 0, 4 * shownLength);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters tell a binary value
  if (/[\0-\x08\x0e-\x1f]|\ufffd(?!$)/.test(value)) {
    const hex = bytes.toString('hex', 0, shownLength / 2);
    return `\\x${hex}${bytes.length > shownLength / 2 ? '…' : ''}`;
  }
  const line = value.replace(/\s+/g, ' ');
  return `'${line.length > shownLength ? `${line.slice(0, shownLength - 1)}…` : line}'`;
}

const withChannelBinding = 'SCRAM-SHA-256-PLUS';

/**
 * The same offer of password exchanges without channel binding; undefined if it has none.
 *
 * Channel binding ties the exchange to the client's own TLS, which ends at the tap.
 */
export function withoutChannelBinding(body: Buffer): Buffer | undefined {
  const fields = new Fields(body);
  if (fields.int32() !== 10) return undefined;
  const mechanisms: string[] = [];
  while (!fields.atEnd) {
    const mechanism = fields.text();
    if (mechanism !== '') mechanisms.push(mechanism);
  }
  if (!mechanisms.includes(withChannelBinding)) return undefined;
  const kept = mechanisms.filter((m) => m !== withChannelBinding);
  const rest = Buffer.from(`${kept.map((m) => `${m}\0`).join('')}\0`);
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + rest.length, 1);
  head.writeInt32BE(10, 5);
  return Buffer.concat([head, rest]);
}
