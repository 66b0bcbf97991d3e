import { describe, expect, it } from 'vitest';
import { client, server } from './fixtures/messages.ts';
import { readBind, readError, withoutChannelBinding } from './messages.ts';

const body = (message: Buffer): Buffer => message.subarray(5);
const shown = (...parameters: (string | Buffer | null)[]): string[] =>
  readBind(body(client.bind(parameters))).parameters();

describe('a Bind', () => {
  it('names its portal and its statement', () => {
    expect(readBind(body(client.bind([], 'statement', 'portal')))).toMatchObject({
      portal: 'portal',
      prepared: 'statement',
    });
  });

  it('shows texts on one line, NULL, and what is no text in hex', () => {
    expect(shown('a\n  b', null, '', Buffer.from([0, 0, 1, 255]), 'größer')).toEqual([
      "'a b'",
      'NULL',
      "''",
      '\\x000001ff',
      "'größer'",
    ]);
  });

  it('shortens what is long, and what are many', () => {
    expect(shown('x'.repeat(100), Buffer.alloc(100))).toEqual([`'${'x'.repeat(39)}…'`, `\\x${'00'.repeat(20)}…`]);
    expect(shown('ü'.repeat(81))).toEqual([`'${'ü'.repeat(39)}…'`]);
    expect(shown(...Array<string>(1000).fill('a'))).toEqual([...Array(6).fill("'a'"), '… 994 more']);
  });

  it('that is cut short shows what is there', () => {
    const whole = body(client.bind(['abc', 'def']));
    for (let length = 0; length < whole.length; length++) {
      expect(readBind(whole.subarray(0, length)).parameters().length).toBeLessThanOrEqual(3);
    }
  });
});

describe('an error', () => {
  it('has a code and a message', () => {
    expect(readError(body(server.error('23505', 'duplicate key')))).toEqual({
      sqlstate: '23505',
      message: 'duplicate key',
    });
    expect(readError(Buffer.alloc(0))).toEqual({ sqlstate: '', message: '' });
  });
});

describe('an offer of password exchanges', () => {
  it('loses what needs the client to speak TLS', () => {
    const offer = server.sasl('SCRAM-SHA-256-PLUS', 'SCRAM-SHA-256');
    expect(withoutChannelBinding(body(offer))).toEqual(server.sasl('SCRAM-SHA-256'));
  });

  it('stays as it is without that, and so does any other word of the server', () => {
    expect(withoutChannelBinding(body(server.sasl('SCRAM-SHA-256')))).toBeUndefined();
    expect(withoutChannelBinding(body(server.authenticated))).toBeUndefined();
  });
});
