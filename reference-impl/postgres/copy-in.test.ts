import fc from 'fast-check';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { copyIn } from './copy-in.ts';
import { copyText } from './copy-text.ts';
import { schemaPerTest } from './fixtures/schema-per-test.ts';
import type { TestSchema } from './fixtures/server.ts';

const seed = Number(process.env.CONTRACT_TEST_SEED ?? 20_260_101);

let schema: TestSchema;
let client: Client;

schemaPerTest(async (own) => {
  schema = own;
  client = own.admin;
  await client.query('CREATE TABLE copied (n integer, text text)');
});

async function copied(): Promise<[number, string | null][]> {
  const { rows } = await client.query<{ n: number; text: string }>('SELECT n, text FROM copied ORDER BY n');
  return rows.map(({ n, text }) => [n, text]);
}

test('brings every text over as it is', async () => {
  const anyText = fc.string({ unit: 'binary' }).filter((text) => !/[\0\p{Surrogate}]/u.test(text));
  const texts = fc.array(fc.option(fc.oneof(anyText, fc.string({ unit: fc.constantFrom(...'\\N.\t\n\r\b\v"a') }))));
  await fc.assert(
    fc.asyncProperty(texts, async (sent) => {
      await client.query('TRUNCATE copied');
      const rows = sent.map((text, i): [number, string | null] => [i, text]);
      await copyIn(client, 'COPY copied FROM STDIN', copyText(rows));
      expect(await copied()).toEqual(rows);
    }),
    { seed, numRuns: 50 },
  );
});

test('waits while the socket is full', async () => {
  const row = 'x'.repeat(100_000);
  let buffered = 0;
  const { stream } = client.connection;
  function* pieces() {
    for (let n = 0; n < 500; n++) {
      yield `${n}\t${row}\n`;
      buffered = Math.max(buffered, stream.writableLength);
    }
  }
  await copyIn(client, 'COPY copied FROM STDIN', pieces());
  const { rows } = await client.query('SELECT count(*)::int AS rows, sum(length(text))::int AS characters FROM copied');
  expect(rows).toEqual([{ rows: 500, characters: 50_000_000 }]);
  expect(buffered).toBeLessThan(1_000_000);
});

test('an error of the server ends it, whatever is still to be sent, and leaves the connection usable', async () => {
  let sent = 0;
  function* pieces() {
    yield 'not a number\tx\n';
    for (; sent < 500; sent++) yield `${sent}\t${'x'.repeat(100_000)}\n`;
  }
  await expect(copyIn(client, 'COPY copied FROM STDIN', pieces())).rejects.toThrow('invalid input syntax');
  const sentBefore = sent;
  expect(await copied()).toEqual([]);
  expect(await copied()).toEqual([]);
  expect(sent).toBe(sentBefore);
});

test('a statement that the server refuses asks for no rows', async () => {
  const pieces = {
    [Symbol.iterator](): Iterator<string> {
      return {
        next() {
          throw new Error('asked for rows');
        },
      };
    },
  };
  await expect(copyIn(client, 'COPY missing FROM STDIN', pieces)).rejects.toThrow('"missing" does not exist');
});

test('an error on this side breaks it off on the server, and is the one to be told', async () => {
  const mine = new Error('no more rows');
  function* pieces() {
    // More than one piece, so that it breaks off after having waited, too.
    for (let n = 0; n < 100; n++) yield `${n}\t${'x'.repeat(100_000)}\n`;
    throw mine;
  }
  await expect(copyIn(client, 'COPY copied FROM STDIN', pieces())).rejects.toBe(mine);
  expect(await copied()).toEqual([]);
});

test('a connection that ends in between is told', async () => {
  const lost = new Client({ connectionString: schema.site.url });
  lost.on('error', () => {});
  await lost.connect();
  function* pieces() {
    yield '1\tone\n';
    lost.connection.stream.destroy();
    yield '2\ttwo\n';
  }
  await expect(copyIn(lost, 'COPY copied FROM STDIN', pieces())).rejects.toThrow('Connection terminated');
  await schema.endSessions();
  expect(await copied()).toEqual([]);
});
