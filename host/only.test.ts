import { expect, test } from 'vitest';
import { type Offer, offers } from '../contracts/kernel/capabilities.ts';
import type { Message, SendOptions } from '../contracts/send-batch/port.ts';
import { duplicate, failed, refuseOthers, stored, UnsupportedOption, unknown } from './only.ts';

const fields: [keyof Message, Offer, unknown][] = [
  ['destination', 'destination', 'q'],
  ['delay', 'delay', 0],
  ['expiration', 'expiration', 1],
  ['priority', 'priority', 0],
  ['route', 'route', ''],
  ['correlationId', 'correlationId', 'c'],
  ['headers', 'headers', null],
  ['dedupeKey', 'dedupeKey', 'k'],
  ['id', 'callerIds', 'i'],
  ['columns', 'columns', {}],
  ['job', 'jobs', 'j'],
];

function refusal(...call: Parameters<typeof refuseOthers>): UnsupportedOption | undefined {
  try {
    refuseOthers(...call);
    return undefined;
  } catch (error) {
    return error as UnsupportedOption;
  }
}

test.each(fields)('a message that uses %s needs the offer %s', (field, offer, value) => {
  const messages: Message[] = [{ body: 1 }, { body: 2, [field]: value }];
  expect(refusal([offer], messages)).toBeUndefined();
  const refused = refusal(
    offers.filter((o) => o !== offer),
    messages,
  );
  expect(refused).toBeInstanceOf(UnsupportedOption);
  expect(refused).toMatchObject({ code: 'UNSUPPORTED_OPTION', option: field, position: 1 });
  expect(refused?.message).toContain(field);
  expect(refused?.message).toContain('message 1');
});

test('bytes need the offer binary', () => {
  const messages: Message[] = [{ body: new Uint8Array() }];
  expect(refusal(['binary'], messages)).toBeUndefined();
  expect(refusal([], messages)).toMatchObject({ option: 'binary', position: 0 });
  expect(refusal([], [{ body: Buffer.from('x') }])).toMatchObject({ option: 'binary', position: 0 });
});

test.each<[keyof SendOptions, Offer, unknown]>([
  ['transaction', 'transaction', {}],
  ['signal', 'cancel', new AbortController().signal],
  ['chunkSize', 'chunkSize', 0],
])('the option %s needs the offer %s', (option, offer, value) => {
  expect(refusal([offer], [], { [option]: value })).toBeUndefined();
  const refused = refusal([], [], { [option]: value });
  expect(refused).toMatchObject({ code: 'UNSUPPORTED_OPTION', option, position: undefined });
});

test('undefined counts as absent', () => {
  const message = Object.fromEntries(fields.map(([field]) => [field, undefined])) as unknown as Message;
  expect(refusal([], [{ ...message, body: undefined }], { signal: undefined } as never)).toBeUndefined();
});

test('a field that no offer covers is refused', () => {
  expect(refusal([...offers], [{ body: 1, retries: 3 } as Message])).toMatchObject({ option: 'retries', position: 0 });
  expect(refusal([...offers], [], { toString: 1 } as SendOptions)).toMatchObject({ option: 'toString' });
});

test('outcomes', () => {
  const error = new Error('x');
  expect([stored(1n), stored(null), duplicate('a'), failed(error), unknown(error)]).toEqual([
    { stored: 1n },
    { stored: null },
    { duplicate: 'a' },
    { failed: error },
    { unknown: error },
  ]);
});
