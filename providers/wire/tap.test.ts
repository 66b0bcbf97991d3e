import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { client, server as says } from './fixtures/messages.ts';
import { openTap, type Tap } from './index.ts';

/** Something that listens in the place of a server, and a tap on it. */
async function tapped(tls?: object) {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {});
    sockets.push(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const tap = await openTap({ upstream: { host: '127.0.0.1', port, ...(tls && { tls }) } });
  const test = {
    tap,
    server,
    /** Both ends of a new connection: the client's and the server's. */
    async connection(): Promise<[Socket, Socket]> {
      const socket = connect({ ...address(tap), allowHalfOpen: true });
      socket.on('error', () => {});
      const [peer] = (await once(server, 'connection')) as [Socket];
      return [socket, peer];
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await tap.close();
      server.close();
    },
  };
  open.push(test);
  return test;
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const test of open.splice(0)) await test.close();
});

function address({ host, port }: Tap): { host: string; port: number } {
  return { host, port };
}

/** What comes until there are `length` bytes, or until the end. */
async function receive(socket: Socket, length = Number.POSITIVE_INFINITY): Promise<Buffer> {
  let received = Buffer.alloc(0);
  const chunks: AsyncIterable<Buffer> = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    received = Buffer.concat([received, chunk]);
    if (received.length >= length) break;
  }
  return received;
}

describe('bytes', () => {
  it('pass unchanged both ways, however they are cut', async () => {
    const { connection } = await tapped();
    const seed = Number(process.env.CONTRACT_TEST_SEED ?? Date.now() % 1_000_000_000);
    console.info(`seed ${seed}`);
    const pieces = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        fc.constantFrom(client.startUp, client.query('SELECT 1'), client.sync, client.copyData('a'.repeat(200_000))),
      ),
    );
    await fc.assert(
      fc.asyncProperty(pieces, pieces, async (up, down) => {
        const [socket, peer] = await connection();
        const [start, ...rest] = [client.startUp, ...up];
        for (const piece of [start, ...rest]) socket.write(piece);
        for (const piece of down) peer.write(piece);
        socket.end();
        peer.end();
        const [got, answer] = await Promise.all([receive(peer), receive(socket)]);
        expect(got).toEqual(Buffer.concat([start, ...rest]));
        expect(answer).toEqual(Buffer.concat(down));
      }),
      { seed, numRuns: 50 },
    );
  });

  it('of something that is not the protocol pass too', async () => {
    const { connection, tap } = await tapped();
    const recording = tap.record();
    const [socket, peer] = await connection();
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.write(request);
    expect(await receive(peer, request.length)).toEqual(request);
    peer.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect((await receive(socket)).toString()).toBe('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect((await recording.stop()).statements).toEqual([]);
  });
});

describe('an opening', () => {
  it('with TLS or GSSAPI is refused without the server', async () => {
    const { connection } = await tapped();
    const [socket, peer] = await connection();
    socket.write(Buffer.concat([client.gssRequest, client.sslRequest.subarray(0, 3)]));
    expect((await receive(socket, 1)).toString()).toBe('N');
    socket.write(client.sslRequest.subarray(3));
    expect((await receive(socket, 1)).toString()).toBe('N');
    socket.write(client.startUp);
    expect(await receive(peer, client.startUp.length)).toEqual(client.startUp);
  });

  it('of a cancel request passes on a connection of its own and marks what it cancels', async () => {
    const { connection, tap } = await tapped();
    const [socket, peer] = await connection();
    socket.write(client.startUp);
    await receive(peer, client.startUp.length);
    peer.write(Buffer.concat([says.authenticated, says.key, says.ready()]));
    await receive(socket, 1);
    const recording = tap.record();
    socket.write(client.query('SELECT pg_sleep(60)'));
    await receive(peer, 1);
    const [canceller, its] = await connection();
    const request = client.cancel(says.key.subarray(5));
    canceller.end(request);
    expect(await receive(its)).toEqual(request);
    const { statements } = await recording.stop();
    expect(statements).toMatchObject([{ text: 'SELECT pg_sleep(60)', cancelled: true, connection: 1 }]);
  });
});

describe('the end of one side', () => {
  it.each([
    ['client', 0],
    ['server', 1],
  ])('the %s: a half-closed connection still carries the answer', async (_, which) => {
    const { connection } = await tapped();
    const ends = await connection();
    const [one, other] = [ends[which]!, ends[1 - which]!];
    one.end(client.startUp);
    expect(await receive(other)).toEqual(client.startUp);
    other.end(client.startUp);
    expect(await receive(one)).toEqual(client.startUp);
  });

  it('the server: a reset resets the client', async () => {
    const { connection } = await tapped();
    const [socket, peer] = await connection();
    socket.write(client.startUp);
    await receive(peer, 1);
    const error = once(socket, 'error');
    // Reading is what tells of a reset.
    socket.resume();
    peer.resetAndDestroy();
    expect((await error)[0]).toMatchObject({ code: 'ECONNRESET' });
  });

  it('the client: a reset ends the server, which may say what it has to say', async () => {
    const { connection, tap } = await tapped();
    const [socket, peer] = await connection();
    const recording = tap.record();
    socket.write(Buffer.concat([client.startUp, client.query('INSERT INTO t DEFAULT VALUES')]));
    await receive(peer, client.startUp.length + 1);
    socket.resetAndDestroy();
    await receive(peer);
    peer.end(Buffer.concat([says.authenticated, says.ready(), says.complete('INSERT 0 1'), says.ready()]));
    await tap.quiet(60_000);
    const { statements, commits } = await recording.stop();
    expect([statements, commits]).toMatchObject([[{ rows: 1 }], 1]);
  });

  it('in the middle of a message is the end of the other', async () => {
    const { connection } = await tapped();
    const [socket, peer] = await connection();
    socket.write(client.startUp);
    socket.end(client.query('SELECT 1').subarray(0, 8));
    expect(await receive(peer)).toEqual(Buffer.concat([client.startUp, client.query('SELECT 1').subarray(0, 8)]));
  });

  it('the server, while a statement runs, fails it', async () => {
    const { connection, tap } = await tapped();
    const [socket, peer] = await connection();
    const recording = tap.record();
    socket.write(Buffer.concat([client.startUp, client.query('SELECT 1')]));
    await receive(peer, client.startUp.length + 1);
    peer.end(says.authenticated);
    await receive(socket);
    expect((await recording.stop()).statements).toMatchObject([{ failed: 'the connection ended before the reply' }]);
  });

  it('a client that goes while a statement of its is held has sent it all the same', async () => {
    const { connection, tap } = await tapped();
    const [socket, peer] = await connection();
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    tap.record({
      between: async ({ at }) => {
        if (at !== 'statement') return;
        asked.resolve();
        await held.promise;
      },
    });
    socket.write(Buffer.concat([client.startUp, client.query('COMMIT')]));
    await asked.promise;
    socket.resetAndDestroy();
    await once(socket, 'close');
    held.resolve();
    const sent = Buffer.concat([client.startUp, client.query('COMMIT')]);
    expect(await receive(peer, sent.length)).toEqual(sent);
  });

  it('a server that cannot be reached resets the client', async () => {
    const { server, tap } = await tapped();
    server.close();
    await once(server, 'close');
    const socket = connect(address(tap));
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  it('a server that refuses TLS, or answers it with more than a letter, resets the client', async () => {
    for (const answer of ['N', 'SX', '']) {
      const { connection } = await tapped({});
      const [socket, peer] = await connection();
      expect((await receive(peer, 8)).equals(client.sslRequest)).toBe(true);
      const error = once(socket, 'error');
      peer.end(answer);
      expect((await error)[0]).toMatchObject({ code: 'ECONNRESET' });
      // Nothing was said to a server that is not the one that it should be.
      expect(await receive(peer).catch(() => 'reset')).toBe('reset');
    }
  });
});

describe('the end of the tap', () => {
  it('closes every connection, held ones too, and gives the port back', async () => {
    const { connection, tap } = await tapped();
    const [socket, peer] = await connection();
    const asked = Promise.withResolvers<void>();
    tap.record({
      between: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    socket.write(Buffer.concat([client.startUp, client.query('SELECT 1')]));
    const [another, its] = await connection();
    await asked.promise;
    const closed = [socket, peer, another, its].map((end) =>
      once(
        end.resume().on('end', () => end.end()),
        'close',
      ),
    );
    await tap.close();
    await Promise.all(closed);
    await tap.close();
    const refused = connect(address(tap));
    expect((await once(refused, 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
