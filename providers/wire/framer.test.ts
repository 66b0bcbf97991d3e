import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { client, message, packet } from './fixtures/messages.ts';
import { Framer } from './framer.ts';

const letter = (type: number): string => (type === 0 ? '' : String.fromCharCode(type));
/** Q is kept to eight bytes, S is only seen, nothing else is looked at. */
const bounds = { 81: 8, 83: 0 };

/** What comes of a stream in these pieces: the bytes passed on, and the messages seen with where they begin. */
function frame(pieces: readonly Buffer[], startUp = false): { passed: Buffer; seen: unknown[] } {
  const framer = new Framer(bounds, startUp);
  const passed: Buffer[] = [];
  const seen: unknown[] = [];
  for (const piece of pieces) {
    const before = Buffer.concat(passed).length;
    const { data, cuts } = framer.push(piece);
    for (const { at, message: m } of cuts) {
      seen.push([before + at, letter(m.type), m.size, m.body.toString('latin1'), m.copied]);
    }
    passed.push(data);
  }
  passed.push(framer.end());
  return { passed: Buffer.concat(passed), seen };
}

function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const at = [0, ...positions.map((p) => p % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((to, n) => bytes.subarray(at[n], to));
}

describe('a stream of messages', () => {
  it('is cut where they begin, with as much of the bodies as is asked for', () => {
    const stream = [
      message('Q', 'long enough'),
      message('D', 'x'),
      message('S'),
      message('d', 'abc'),
      message('Q', 'q'),
    ];
    const bytes = Buffer.concat(stream);
    expect(frame([bytes])).toEqual({
      passed: bytes,
      seen: [
        [0, 'Q', 17, 'long eno', 0],
        [24, 'S', 5, '', 0],
        [38, 'Q', 7, 'q\0', 4],
      ],
    });
  });

  it('is the same however it is cut', () => {
    const seed = Number(process.env.CONTRACT_TEST_SEED ?? Date.now() % 1_000_000_000);
    console.info(`seed ${seed}`);
    const one = fc.tuple(fc.constantFrom('Q', 'S', 'D', 'd'), fc.string({ maxLength: 30 }));
    fc.assert(
      fc.property(fc.array(one), fc.array(fc.nat()), fc.string(), (messages, positions, garbage) => {
        const stream = messages.map(([type, text]) => message(type, text));
        // A length that none can be, after which nothing is looked at.
        const bytes = Buffer.concat([client.startUp, ...stream, message('Q').fill(0, 1), Buffer.from(garbage)]);
        const whole = frame([bytes], true);
        expect(whole.passed).toEqual(bytes);
        expect(whole.seen).toHaveLength(1 + messages.filter(([type]) => type === 'Q' || type === 'S').length);
        expect(frame(cut(bytes, positions), true)).toEqual(whole);
        expect(
          frame(
            [...bytes].map((byte) => Buffer.from([byte])),
            true,
          ),
        ).toEqual(whole);
      }),
      { seed },
    );
  });

  it('is passed on before a message has come whole, but none of what is still to be looked at', () => {
    const framer = new Framer(bounds, false);
    const query = message('Q', 'x'.repeat(100));
    expect(framer.push(query.subarray(0, 12)).data).toHaveLength(0);
    expect(framer.push(query.subarray(12, 20))).toMatchObject({ data: query.subarray(0, 20), cuts: [{ at: 0 }] });
    expect(framer.push(query.subarray(20, 50)).data).toEqual(query.subarray(20, 50));
    const row = message('D', 'x'.repeat(100));
    const both = Buffer.concat([query.subarray(50), row.subarray(0, 30)]);
    expect(framer.push(both).data).toEqual(both);
    expect(framer.push(row.subarray(30, 60)).data).toEqual(row.subarray(30, 60));
  });

  it('takes a message of a gigabyte for its length only', () => {
    const framer = new Framer(bounds, false);
    const head = Buffer.from([0x44, 0x40, 0, 0, 0]);
    expect(framer.push(head).data).toEqual(head);
    const piece = Buffer.alloc(1 << 20);
    for (let n = 1; n < 1024; n++) expect(framer.push(piece).data).toBe(piece);
    // Of the body, four bytes are the length itself.
    const end = Buffer.concat([piece.subarray(4), message('S')]);
    expect(framer.push(end).cuts).toMatchObject([{ at: piece.length - 4, message: { type: 0x53 } }]);
  });

  it('is passed on as it is when a length cannot be one', () => {
    const bytes = Buffer.concat([message('S'), Buffer.from([0x51, 0, 0, 0, 3]), message('S')]);
    expect(frame([bytes])).toMatchObject({ passed: bytes, seen: [[0, 'S', 5, '', 0]] });
  });
});

describe('an opening', () => {
  it('is untyped until the start-up message', () => {
    const bytes = Buffer.concat([client.sslRequest, client.gssRequest, client.startUp, client.sync]);
    const seen = frame([bytes], true).seen as unknown[][];
    expect(seen.map(([, type, size]) => [type, size])).toEqual([
      ['', 8],
      ['', 8],
      ['', client.startUp.length],
      ['S', 5],
    ]);
  });

  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), 0],
    ['a handshake of TLS', Buffer.from('16030100c8010000c40303', 'hex'), 0],
    ['a version that is none', Buffer.concat([packet(1, 'Q'), client.sync]), 1],
    ['a cancel request', Buffer.concat([client.cancel(Buffer.alloc(8)), client.sync]), 1],
  ])('that is %s is not followed by messages', (_, bytes, packets) => {
    const { passed, seen } = frame([bytes], true);
    expect(passed).toEqual(bytes);
    expect(seen).toHaveLength(packets);
  });

  it('that breaks off is passed on as far as it came', () => {
    expect(frame([client.startUp.subarray(0, 10)], true)).toEqual({ passed: client.startUp.subarray(0, 10), seen: [] });
  });
});
