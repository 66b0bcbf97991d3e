import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Dialogue, lead, type Turn } from './fixtures/dialogue.ts';
import { client, server } from './fixtures/messages.ts';

const { parse, bind, describe: describePortal, execute, sync, flush, query } = client;
const { parseComplete, bindComplete, noData, complete, ready, error } = server;

/** Parse to Execute, and the replies to it. */
const ask = (text: string, ...parameters: string[]): Buffer[] => [
  parse(text),
  bind(parameters),
  describePortal,
  execute(),
];
const reply = (tag: string): Buffer[] => [parseComplete, bindComplete, noData, complete(tag)];

/** Kind, text, transaction, and what came of it, of every statement. */
function table(dialogue: Dialogue): unknown[][] {
  return dialogue.seen.map(({ kind, text, transaction, rows, returned, sqlstate, failed }) => [
    kind,
    text,
    transaction,
    failed === undefined ? (rows ?? returned) : `${sqlstate ?? '-'} ${failed}`,
  ]);
}

const skipped = '- skipped by the server after the error before it';

describe('a simple query', () => {
  it('is one statement for each in its text, each with its own tag', () => {
    const d = new Dialogue();
    d.client(query('BEGIN; INSERT INTO t VALUES (1), (2);; SELECT 1; COMMIT;'));
    expect(d.server(complete('BEGIN'), complete('INSERT 0 2'))).toBe(2);
    expect(d.conversation.inFlight).toBe(true);
    d.server(server.rowDescription, server.row('1'), complete('SELECT 1'), complete('COMMIT'), ready());
    expect(table(d)).toEqual([
      ['begin', 'BEGIN', 1, undefined],
      ['write', 'INSERT INTO t VALUES (1), (2)', 1, 2],
      ['read', 'SELECT 1', 1, 1],
      ['commit', 'COMMIT', 1, undefined],
    ]);
    expect([d.conversation.roundTrips, d.conversation.inFlight]).toEqual([1, false]);
  });

  it('ends with its first error; what was not reached has not begun', () => {
    const d = new Dialogue();
    d.client(query('DELETE FROM t; SELECT 1/0; SELECT 2'));
    d.server(complete('DELETE 3'), server.notice, error('22012', 'division by zero'), ready());
    d.client(query('SELECT 3'));
    d.server(complete('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['write', 'DELETE FROM t', 1, 3],
      ['read', 'SELECT 1/0', 1, '22012 division by zero'],
      ['read', 'SELECT 3', 2, 1],
    ]);
  });

  it('without any statement is a round trip all the same', () => {
    const d = new Dialogue();
    d.client(query(' ; -- nothing'));
    d.server(server.empty, ready());
    expect([d.seen, d.conversation.roundTrips]).toEqual([[], 1]);
  });

  it('that is longer than what is kept of it has a statement for each tag', () => {
    const d = new Dialogue();
    d.client(query(`SELECT '${'x'.repeat(100_000)}'; INSERT INTO t DEFAULT VALUES`));
    d.server(complete('SELECT 1'), complete('INSERT 0 1'), ready());
    expect(d.seen.map(({ kind, text }) => [kind, text.length])).toEqual([
      ['read', 200],
      ['write', 1],
    ]);
  });

  it('that was sent before anybody listened is not begun later', () => {
    const d = new Dialogue();
    d.listening = false;
    d.client(query('SELECT 1; SELECT 2'));
    d.listening = true;
    d.server(complete('SELECT 1'), complete('SELECT 1'), ready());
    expect(d.seen).toEqual([]);
  });
});

describe('an extended query', () => {
  it('is known by the text of its prepared statement, with its parameters', () => {
    const d = new Dialogue();
    d.listening = false;
    d.client(parse('INSERT INTO t VALUES ($1, $2)', 'put'), sync);
    d.server(parseComplete, ready());
    d.listening = true;
    d.client(bind(['a', null], 'put', 'p1'), execute('p1'), sync);
    d.server(bindComplete, complete('INSERT 0 1'), ready());
    expect(d.seen).toEqual([
      { kind: 'write', text: 'INSERT INTO t VALUES ($1, $2)', transaction: 1, rows: 1, parameters: ["'a'", 'NULL'] },
    ]);
    expect(d.conversation.roundTrips).toBe(2);
  });

  it('whose prepared statement was closed or never seen has no text', () => {
    const d = new Dialogue();
    d.client(
      parse('SELECT 1', 'gone'),
      client.closeStatement('gone'),
      bind([], 'gone'),
      execute(),
      execute('nowhere'),
      sync,
    );
    d.server(parseComplete, server.closeComplete, bindComplete, complete('SELECT 1'), server.suspended, ready());
    expect(table(d)).toEqual([
      ['other', '', 1, undefined],
      ['other', '', 1, undefined],
    ]);
  });

  it('is fetched in parts, one statement and one round trip each', () => {
    const d = new Dialogue();
    d.client(parse('SELECT * FROM t'), bind(), execute('', 2), flush);
    d.server(parseComplete, bindComplete, server.row('1'), server.row('2'), server.suspended);
    d.client(execute('', 2), flush);
    d.server(server.row('3'), complete('SELECT 1'));
    d.client(sync);
    d.server(ready());
    expect(table(d)).toEqual([
      ['read', 'SELECT * FROM t', 1, undefined],
      ['read', 'SELECT * FROM t', 1, 1],
    ]);
    expect(d.conversation.roundTrips).toBe(3);
  });

  it('that fails while it is parsed or bound has failed', () => {
    const d = new Dialogue();
    d.client(...ask('SELEC 1'), sync);
    expect(d.server(error('42601', 'syntax error'), ready())).toBe(1);
    d.client(...ask('SELECT $1::int', 'x'), sync);
    d.server(parseComplete, error('22P02', 'invalid input'), ready());
    expect(table(d)).toEqual([
      ['other', 'SELEC 1', 1, '42601 syntax error'],
      ['read', 'SELECT $1::int', 2, '22P02 invalid input'],
    ]);
  });

  it('that is only prepared is a statement if that fails', () => {
    const d = new Dialogue();
    d.client(parse('SELECT * FROM absent', 'a'), sync);
    d.server(error('42P01', 'no such table'), ready());
    d.client(parse('SELECT 1', 'a'), sync);
    d.server(parseComplete, ready());
    expect(table(d)).toEqual([['read', 'SELECT * FROM absent', 1, '42P01 no such table']]);
  });

  it('is failed by the commit at its Sync', () => {
    const d = new Dialogue();
    d.client(...ask('INSERT INTO t VALUES (1)'), sync);
    d.server(...reply('INSERT 0 1'), error('23503', 'deferred'), ready());
    d.client(...ask('SELECT 1'), sync);
    d.server(...reply('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['write', 'INSERT INTO t VALUES (1)', 1, '23503 deferred'],
      ['read', 'SELECT 1', 2, 1],
    ]);
  });
});

describe('a pipeline', () => {
  it('up to one Sync is one transaction and one round trip', () => {
    const d = new Dialogue();
    d.client(...ask('INSERT INTO a VALUES (1)'), ...ask('UPDATE b SET x = 1'), sync);
    expect(d.server(...reply('INSERT 0 1'), ...reply('UPDATE 7'), ready())).toBe(2);
    expect(table(d)).toEqual([
      ['write', 'INSERT INTO a VALUES (1)', 1, 1],
      ['write', 'UPDATE b SET x = 1', 1, 7],
    ]);
    expect(d.conversation.roundTrips).toBe(1);
  });

  it('of several Syncs without waiting is one round trip, with a transaction for each', () => {
    const d = new Dialogue();
    d.client(...ask('SELECT 1'), sync, ...ask('SELECT 2'), sync, query('SELECT 3'));
    d.server(...reply('SELECT 1'), ready());
    d.server(...reply('SELECT 1'), ready(), server.parameter, complete('SELECT 1'), ready());
    expect(table(d).map(([, text, transaction]) => [text, transaction])).toEqual([
      ['SELECT 1', 1],
      ['SELECT 2', 2],
      ['SELECT 3', 3],
    ]);
    expect(d.conversation.roundTrips).toBe(1);
  });

  it('fails at one statement, and what follows up to the Sync is skipped', () => {
    const d = new Dialogue();
    d.client(...ask('SELECT 1'), ...ask('SELECT 1/0'), ...ask('SELECT 2'), sync, ...ask('SELECT 3'), sync);
    d.server(...reply('SELECT 1'), parseComplete, bindComplete, noData, error('22012', 'by zero'), ready());
    d.server(...reply('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['read', 'SELECT 1', 1, 1],
      ['read', 'SELECT 1/0', 1, '22012 by zero'],
      ['read', 'SELECT 2', 1, skipped],
      ['read', 'SELECT 3', 2, 1],
    ]);
  });

  it('that has failed before its Sync is sent skips all until then', () => {
    const d = new Dialogue();
    d.client(...ask('SELECT 1/0'), flush);
    d.server(parseComplete, bindComplete, noData, error('22012', 'by zero'));
    d.client(...ask('SELECT 2'), query('SELECT 3'), sync);
    d.server(ready());
    d.client(...ask('SELECT 4'), sync);
    d.server(...reply('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['read', 'SELECT 1/0', 1, '22012 by zero'],
      ['read', 'SELECT 2', 1, skipped],
      ['read', 'SELECT 3', 1, skipped],
      ['read', 'SELECT 4', 2, 1],
    ]);
    expect(d.conversation.roundTrips).toBe(3);
  });
});

describe('a transaction', () => {
  it('goes from BEGIN to its end, over many messages', () => {
    const d = new Dialogue();
    const say = (text: string, tag: string, status: 'I' | 'T' | 'E'): void => {
      d.client(query(text));
      d.server(complete(tag), ready(status));
    };
    say('START TRANSACTION', 'START TRANSACTION', 'T');
    expect(d.conversation.inFlight).toBe(true);
    say('SAVEPOINT a', 'SAVEPOINT', 'T');
    say('ROLLBACK TO a', 'ROLLBACK', 'T');
    say('COMMIT AND CHAIN', 'COMMIT', 'T');
    say('DELETE FROM t', 'DELETE 1', 'T');
    say('END', 'COMMIT', 'I');
    expect(d.conversation.inFlight).toBe(false);
    say('SELECT 1', 'SELECT 1', 'I');
    expect(table(d).map(([kind, , transaction]) => [kind, transaction])).toEqual([
      ['begin', 1],
      ['other', 1],
      ['other', 1],
      ['commit', 1],
      ['write', 2],
      ['commit', 2],
      ['read', 3],
    ]);
  });

  it('is open from the reply to BEGIN, before the server says that it is ready', () => {
    const d = new Dialogue();
    d.client(query('BEGIN'));
    d.server(complete('BEGIN'));
    expect(d.conversation.inFlight).toBe(true);
    d.server(ready('T'));
    d.client(query('COMMIT'));
    d.server(complete('COMMIT'));
    expect(d.conversation.inFlight).toBe(false);
  });

  it('that has failed answers its COMMIT with ROLLBACK', () => {
    const d = new Dialogue();
    d.client(query('BEGIN'));
    d.server(complete('BEGIN'), ready('T'));
    d.client(query('SELECT 1/0'));
    d.server(error('22012', 'by zero'), ready('E'));
    d.client(query('COMMIT'));
    d.server(complete('ROLLBACK'), ready());
    expect(table(d).map(([kind, text, transaction]) => [kind, text, transaction])).toEqual([
      ['begin', 'BEGIN', 1],
      ['read', 'SELECT 1/0', 1],
      ['rollback', 'COMMIT', 1],
    ]);
  });

  it('can end within one simple query and another begin', () => {
    const d = new Dialogue();
    d.client(query('INSERT INTO t VALUES (1); COMMIT; INSERT INTO t VALUES (2)'));
    d.server(complete('INSERT 0 1'), complete('COMMIT'), complete('INSERT 0 1'), ready());
    expect(d.seen.map(({ transaction }) => transaction)).toEqual([1, 1, 2]);
  });
});

describe('COPY', () => {
  it('from the client is two round trips, a write, and counted by bytes', () => {
    const d = new Dialogue();
    d.client(query('COPY t FROM STDIN'));
    d.server(server.copyIn);
    expect([d.conversation.inFlight, d.conversation.roundTrips]).toEqual([true, 1]);
    d.client(client.copyData('1\n'), client.copyData('22\n'), client.copyDone);
    d.server(complete('COPY 2'), ready());
    expect(d.seen).toEqual([{ kind: 'write', text: 'COPY t FROM STDIN', transaction: 1, rows: 2, copied: 5 }]);
    expect(d.conversation.roundTrips).toBe(2);
  });

  it('to the client is a read', () => {
    const d = new Dialogue();
    d.client(query('COPY t TO STDOUT'));
    d.server(
      server.copyOut,
      server.copyData('1\n'),
      server.copyData('22\n'),
      server.copyDone,
      complete('COPY 2'),
      ready(),
    );
    expect(d.seen).toEqual([{ kind: 'read', text: 'COPY t TO STDOUT', transaction: 1, returned: 2, copied: 5 }]);
    expect(d.conversation.roundTrips).toBe(1);
  });

  it('that the client gives up has failed', () => {
    const d = new Dialogue();
    d.client(query('COPY t FROM STDIN'));
    d.server(server.copyIn);
    d.client(client.copyFail);
    d.server(error('57014', 'no data'), ready());
    d.client(query('SELECT 1'));
    d.server(complete('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['write', 'COPY t FROM STDIN', 1, '57014 no data'],
      ['read', 'SELECT 1', 2, 1],
    ]);
  });

  it.each([
    ['waits for the server', true],
    ['sends all of it blindly', false],
  ])('in an extended query ignores the Sync before its data: the client %s', (_, waits) => {
    const d = new Dialogue();
    const [before, after] = [
      [parseComplete, bindComplete, noData, server.copyIn],
      [complete('COPY 1'), ready()],
    ];
    const data = [client.copyData('1\n'), client.copyDone, sync];
    d.client(...ask('COPY t FROM STDIN'), sync, ...(waits ? [] : data));
    d.server(...before, ...(waits ? [] : after));
    if (waits) d.client(...data);
    if (waits) d.server(...after);
    d.client(...ask('SELECT 1'), sync);
    d.server(...reply('SELECT 1'), ready());
    expect(table(d)).toEqual([
      ['write', 'COPY t FROM STDIN', 1, 1],
      ['read', 'SELECT 1', 2, 1],
    ]);
    expect(d.conversation.roundTrips).toBe(waits ? 3 : 2);
  });

  it('ignores a Sync and a Flush among its data', () => {
    const d = new Dialogue();
    d.client(...ask('COPY t FROM STDIN'), flush);
    d.server(parseComplete, bindComplete, noData, server.copyIn);
    d.client(sync, client.copyData('1\n'), flush, sync, client.copyDone, sync);
    d.server(complete('COPY 1'), ready());
    d.client(query('SELECT 1'));
    d.server(complete('SELECT 1'), ready());
    expect(table(d).map(([, text, transaction]) => [text, transaction])).toEqual([
      ['COPY t FROM STDIN', 1],
      ['SELECT 1', 2],
    ]);
    expect([d.conversation.roundTrips, d.conversation.inFlight]).toEqual([3, false]);
  });

  it('that the server refuses leaves nothing behind, whatever the client had sent blindly', () => {
    const d = new Dialogue();
    d.client(query('COPY absent FROM STDIN'), client.copyData('1\n'), client.copyDone);
    d.server(error('42P01', 'no such table'), ready());
    d.client(...ask('SELECT 1'), sync);
    d.server(...reply('SELECT 1'), ready());
    expect(table(d).map(([, text]) => text)).toEqual(['COPY absent FROM STDIN', 'SELECT 1']);
    expect(d.conversation.roundTrips).toBe(2);
  });
});

it('a function call is a statement', () => {
  const d = new Dialogue();
  d.client(client.call(1598));
  expect(d.server(server.called, ready())).toBe(1);
  d.client(client.call(1598));
  d.server(error('42883', 'no such function'), ready());
  expect(table(d)).toEqual([
    ['other', 'function call 1598', 1, undefined],
    ['other', 'function call 1598', 2, '42883 no such function'],
  ]);
});

it('what the server says unasked changes nothing', () => {
  const d = new Dialogue();
  d.server(server.notification, server.parameter, server.notice);
  d.client(query('SELECT 1'));
  d.server(server.notification, complete('SELECT 1'), server.notice, ready());
  d.server(error('57P01', 'terminating connection'));
  expect(table(d)).toEqual([['read', 'SELECT 1', 1, 1]]);
  expect(d.conversation.roundTrips).toBe(1);
});

it('a statement that is running when the connection ends has failed', () => {
  const d = new Dialogue();
  d.client(query('BEGIN'));
  d.server(complete('BEGIN'), ready('T'));
  d.client(...ask('SELECT 1'), sync);
  d.conversation.end();
  expect(table(d).at(-1)).toEqual(['read', 'SELECT 1', 1, '- the connection ended before the reply']);
  expect(d.conversation.inFlight).toBe(false);
});

const everything: Turn[] = [
  { client: [query('BEGIN; SELECT 1')] },
  { server: [complete('BEGIN'), server.rowDescription, server.row('1'), complete('SELECT 1'), ready('T')] },
  { client: [...ask('INSERT INTO t VALUES ($1)', 'first', 'second'), ...ask('SELECT 1/0'), execute(), sync] },
  { server: [...reply('INSERT 0 1'), server.notice, parseComplete, error('22012', 'by zero'), ready('E')] },
  { client: [query('ROLLBACK'), ...ask('DELETE FROM t'), sync] },
  { server: [complete('ROLLBACK'), ready(), ...reply('DELETE 0'), server.notification, ready()] },
  { client: [query('COPY t FROM STDIN')] },
  { server: [server.copyIn] },
  { client: [client.copyData('1\n2\n'), client.copyData('3\n'), client.copyDone] },
  { server: [complete('COPY 3'), ready()] },
  { client: [query('COPY t TO STDOUT'), client.call(5), client.closeStatement('x'), flush] },
  { server: [server.copyOut, server.copyData('1\n'), server.copyDone, complete('COPY 1'), ready()] },
  { server: [server.called, ready(), server.closeComplete, server.parameter] },
  { client: [client.terminate] },
];

describe('however the network cuts it', () => {
  const whole = lead(everything);
  const outcome = (d: Dialogue): unknown => [d.seen, d.conversation.roundTrips, d.conversation.inFlight];

  it('at every position, the same is seen', () => {
    expect(whole.seen).toHaveLength(10);
    const longest = Math.max(...everything.map((turn) => Buffer.concat(Object.values(turn).flat()).length));
    for (let at = 1; at < longest; at++) {
      expect(outcome(lead(everything, (bytes) => [bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(outcome(whole));
    }
    expect(outcome(lead(everything, (bytes) => [...bytes].map((byte) => Buffer.from([byte]))))).toEqual(outcome(whole));
  });
});

it('nothing that either side may send makes it fail', () => {
  const letters = 'QPBEFDCcfSHX123TnVCEGHIKRWZcsdNA';
  const messages = fc.tuple(fc.constantFrom(...letters), fc.uint8Array({ maxLength: 40 }));
  const turns = fc.array(fc.tuple(fc.boolean(), messages), { maxLength: 60 });
  const seed = Number(process.env.CONTRACT_TEST_SEED ?? Date.now() % 1_000_000_000);
  console.info(`seed ${seed}`);
  fc.assert(
    fc.property(turns, (said) => {
      const d = new Dialogue();
      for (const [byClient, [type, body]] of said) {
        const head = Buffer.alloc(5);
        head.write(type);
        head.writeInt32BE(body.length + 4, 1);
        const bytes = Buffer.concat([head, body]);
        if (byClient) d.client(bytes);
        else d.server(bytes);
      }
      // After a ReadyForQuery for each that could be outstanding, all is as at the beginning.
      d.client(sync);
      for (let n = 0; n <= said.length; n++) d.server(ready());
      d.client(query('SELECT 1'));
      d.server(complete('SELECT 1'), ready());
      expect(d.seen.at(-1)).toMatchObject({ text: 'SELECT 1', returned: 1 });
      expect(d.conversation.inFlight).toBe(false);
    }),
    { seed, numRuns: 2000 },
  );
});
