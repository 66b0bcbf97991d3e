import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Connection } from './connection.ts';
import { Recorder, type Recording, type RecordOptions } from './recording.ts';
import type { Upstream } from './upstream.ts';

/** A loopback address whose connections lead to a server, and which sees what passes. */
export interface Tap {
  readonly host: string;
  readonly port: number;
  /** Starts to record; several recordings can be on at once. */
  record(options?: RecordOptions): Recording;
  /** Ends all connections and gives the port back. */
  close(): Promise<void>;
}

/**
 * Opens a tap on a PostgreSQL server.
 *
 * Clients speak to it without TLS, whatever it speaks with the server. Bytes pass unchanged, except that TLS is refused
 * to the client, and that no password exchange bound to TLS is offered.
 */
export async function openTap({ upstream }: { upstream: Upstream }): Promise<Tap> {
  const recorder = new Recorder();
  const connections = new Set<Connection>();
  let sessions = 0;
  const shared = {
    upstream,
    recorder,
    cancelKeys: new Map(),
    nextNumber: () => ++sessions,
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    const connection = new Connection(client, shared);
    connections.add(connection);
    connection.closed.then(() => connections.delete(connection));
  });
  const host = '127.0.0.1';
  server.listen({ host, port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host,
    port,
    record: (options) => recorder.record(options),
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      await Promise.all([closed, ...[...connections].map((connection) => connection.close())]);
    },
  };
}
