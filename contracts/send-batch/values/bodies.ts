import fc from 'fast-check';
import { failureText, mustHaveStoredNothing, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { sameJson, short } from '../../kernel/print.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const bodyRoundTrips: Guard = guard({
  id: 'send-batch/body-round-trips',
  statement:
    'A body of the declared type is read back equal by value, or refused with a clear error and nothing is stored.',
  proves: ['bodies stored'],
  async check(bench) {
    for (const [name, bodies] of Object.entries(edgeBodies(bench))) {
      await bench.each(name, bodies, (body) => roundTrip(bench, body));
    }
    await bench.property('generated', arbitraryBody(bench), (body) => roundTrip(bench, body));
  },
});

/** Sends the body between two plain messages and reads it back; its row is the one without a nonce of this run. */
async function roundTrip(bench: Bench, body: unknown): Promise<void> {
  const rig = await bench.openEmpty();
  const [before, after] = messages(bench, 2, 'bare');
  const batch: Message[] = [before!, { body }, after!];
  const written = await w.write(rig, batch);
  const failure = failureOf(written);
  if (failure) {
    if (failure.message.trim() === '')
      throw new Violation(`the body ${short(body)} was refused without a word (${failureText(failure)})`);
    await mustHaveRefused(bench, rig, [before!, after!], written, `a batch with the body ${short(body)}`);
    bench.record('bodies refused', 1);
    return;
  }
  mustSucceed(w, batch, written, `a batch with the body ${short(body)}`);
  const rows = await w.stored(bench, rig);
  const own = rows.filter(({ token }) => token === undefined);
  if (own.length !== 1)
    throw new Violation(`the body ${short(body)} was said to be stored; ${own.length} rows hold it`);
  const found = own[0]!.fields.body;
  if (!sameJson(body, found)) {
    throw new Violation(`the body ${short(body)} was stored as ${short(found)}`, {
      input: 'one body between two plain messages',
      slots: [{ slot: 1, mark: 'changed', sent: short(body, 200), expected: 'the same', stored: short(found, 200) }],
    });
  }
  bench.record('bodies stored', 1);
}

/** Fails where the body is stored all the same, or where the messages beside it are stored other than was told. */
async function mustHaveRefused(
  bench: Bench,
  rig: Rig,
  others: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  if (bench.declaration.givesUp.atomic === undefined) {
    await mustHaveStoredNothing(bench, w, rig, others, `${what}, which was refused,`);
  } else {
    const outcomes = written.outcomes?.toSpliced(1, 1) ?? null;
    await mustBeTrue(bench, w, rig, others, { ...written, outcomes }, `the messages beside a refused one, of ${what}`);
  }
  const own = (await w.stored(bench, rig)).filter(({ token }) => token === undefined);
  if (own.length > 0) throw new Violation(`${what} was refused, yet the body is stored`);
}

/** Text that storage has been seen to change: NUL, lone surrogates, beyond the BMP, combining marks, blanks. */
const oddTexts = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfffy',
  '\u{1f600}',
  'e\u0301',
  '\u00e9',
  '',
  ' ',
  'trailing ',
  '\r\n',
  "'; drop table messages; --",
  '\\',
  '"',
  '%_*',
  'null',
  '\ufeff',
  '\u2028',
];

function edgeBodies(bench: Bench): Record<string, unknown[]> {
  switch (bench.declaration.body) {
    case 'text':
      return { 'odd-text': oddTexts, 'one-megabyte': ['x'.repeat(1_000_000)], 'past-64-kib': ['é'.repeat(40_000)] };
    case 'bytes':
      return {
        'odd-bytes': [
          new Uint8Array(),
          Uint8Array.of(0),
          Uint8Array.from({ length: 256 }, (_, i) => i),
          Uint8Array.of(0xff, 0xfe, 0x00),
        ],
        'one-megabyte': [new Uint8Array(1_000_000).fill(0xa5)],
        'past-64-kib': [new Uint8Array(65_537).fill(7)],
      };
    case 'json':
      return {
        'odd-text': oddTexts.flatMap((text) => [text, { [`k${text}`]: text }]),
        'top-level': [null, true, false, 0, 1, -1.5, 'text', [], [1, 'two', null], [[1, 2], [3]], {}, { a: {} }],
        numbers: [2 ** 53 - 1, -(2 ** 53) + 1, 2 ** 53, 1e308, 5e-324, 0.1 + 0.2, 1e21],
        depth: [nested(200)],
        'past-64-kib': [{ text: 'é'.repeat(40_000) }],
        'one-megabyte': [{ text: 'x'.repeat(1_000_000) }],
        'many-keys': [Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key ${i}`, i]))],
      };
  }
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let i = 0; i < depth; i++) value = i % 2 ? [value] : { d: value };
  return value;
}

function arbitraryBody(bench: Bench): fc.Arbitrary<unknown> {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: anyCodeUnit }),
    fc.constantFrom(...oddTexts),
  );
  switch (bench.declaration.body) {
    case 'text':
      return text;
    case 'bytes':
      return fc.uint8Array({ maxLength: 200 });
    case 'json':
      return fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 4, withCrossShrink: true },
          fc.constantFrom(null, true, false),
          fc.integer(),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          text,
          fc.array(tie('value'), { maxLength: 4 }),
          fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
        ),
      })).value;
  }
}

/** Any UTF-16 code unit, lone surrogates too. */
const anyCodeUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
