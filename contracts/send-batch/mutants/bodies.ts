import type { Mutant } from '../../kernel/mutant.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import { messageMutant } from './spoil.ts';

/** Lies about unusual bodies, told in the batch and on the single path alike. */
export const bodyMutants: Mutant[] = [
  bodyLie({
    id: 'strips-nul',
    lie: 'Leaves NUL out of text and bytes.',
    change: (body) =>
      mapLeaves(body, {
        text: (text) => text.replaceAll('\0', ''),
        bytes: (bytes) => (bytes.includes(0) ? bytes.filter((byte) => byte !== 0) : bytes),
      }),
  }),
  bodyLie({
    id: 'double-encodes',
    lie: 'Stores a text that holds a quote or a backslash as JSON of JSON.',
    change: (body) => (typeof body === 'string' && /["\\]/.test(body) ? JSON.stringify(body) : body),
  }),
  bodyLie({
    id: 'array-as-set',
    lie: 'Stores an array as a set: without repetitions, in an order of its own.',
    alsoKilledBy: ['send-batch/explicit-falsy-is-kept'],
    change: (body) => (Array.isArray(body) ? asSet(body) : body),
  }),
  bodyLie({
    id: 'surrogates-replaced',
    lie: 'Replaces lone surrogates by U+FFFD, as an encoder for UTF-8 does without a word.',
    change: (body) => mapLeaves(body, { text: (text) => text.replace(/\p{Surrogate}/gu, '\ufffd') }),
  }),
  bodyLie({
    id: 'cuts-at-64-kib',
    lie: 'Cuts text and bytes after 64 KiB.',
    // That guard's messages are a little larger.
    alsoKilledBy: ['send-batch/past-the-limits'],
    change: (body) => mapLeaves(body, { text: cutText, bytes: (bytes) => bytes.subarray(0, maximum) }),
  }),
];

const maximum = 65_536;

function cutText(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maximum ? text : bytes.subarray(0, maximum).toString();
}

/** A lie about bodies that are plain data; `change` returns the body itself where it has nothing to lie about. */
function bodyLie(
  m: Pick<Mutant, 'id' | 'lie'> & Partial<Pick<Mutant, 'alsoKilledBy'>> & { change(body: unknown): unknown },
): Mutant {
  const { change, ...described } = m;
  return messageMutant({
    ...described,
    target: 'send-batch/body-round-trips',
    change: () => (message) => {
      if (!isPlainData(message.body)) return message;
      const body = change(message.body);
      return same(body, message.body) ? message : { ...message, body };
    },
  });
}

interface LeafChanges {
  text(text: string): string;
  bytes?(bytes: Uint8Array): Uint8Array;
}

/** The value with every text and all bytes in it changed; names of members stay. */
function mapLeaves(value: unknown, change: LeafChanges): unknown {
  if (typeof value === 'string') return change.text(value);
  if (value instanceof Uint8Array) return change.bytes?.(value) ?? value;
  if (Array.isArray(value)) return value.map((member) => mapLeaves(member, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapLeaves(member, change)]));
}

function asSet(array: unknown[]): unknown[] {
  const texts = [...new Set(array.map((member) => JSON.stringify(member)))].sort();
  return texts.map((text) => JSON.parse(text));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
