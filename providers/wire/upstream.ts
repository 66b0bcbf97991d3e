import { once } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { packet } from './framer.ts';

/** Where the server is, and how TLS is spoken with it, if it is. */
export interface Upstream {
  host: string;
  port: number;
  tls?: ConnectionOptions;
}

/** Connects to the server, with TLS if that is asked for. `opened` is told of every socket, for whoever has to end them. */
export async function connectUpstream(upstream: Upstream, opened: (socket: Socket) => void): Promise<Socket> {
  const { host, port, tls } = upstream;
  const plain = connectPlain({ host, port, noDelay: true, allowHalfOpen: true });
  opened(plain);
  await once(plain, 'connect');
  if (!tls) return plain;
  await agreeOnTls(plain);
  const secure = connectTls({ host, ...(isIP(host) ? {} : { servername: host }), ...tls, socket: plain });
  opened(secure);
  await once(secure, 'secureConnect');
  return secure;
}

/** Asks the server to cancel what the session with this process and key runs; nobody is told whether it did. */
export function cancelUpstream(upstream: Upstream, key: Buffer): void {
  const request = Buffer.alloc(8 + key.length);
  request.writeInt32BE(request.length);
  request.writeInt32BE(packet.cancel, 4);
  key.copy(request, 8);
  connectUpstream(upstream, (socket) => socket.on('error', () => {})).then(
    (socket) => socket.resume().end(request),
    () => {},
  );
}

async function agreeOnTls(socket: Socket): Promise<void> {
  const request = Buffer.alloc(8);
  request.writeInt32BE(8);
  request.writeInt32BE(packet.ssl, 4);
  socket.write(request);
  const answer = await firstBytes(socket);
  // More than the one byte could only have been put there by somebody in between.
  if (answer.toString('latin1') !== 'S') throw new Error('the server refuses TLS');
}

async function firstBytes(socket: Socket): Promise<Buffer> {
  const ended = new AbortController();
  const abort = (): void => ended.abort(new Error('the server has ended the connection'));
  socket.once('end', abort).once('close', abort);
  while (!ended.signal.aborted) {
    const bytes = socket.read() as Buffer | null;
    if (bytes) {
      socket.off('end', abort).off('close', abort);
      return bytes;
    }
    await once(socket, 'readable', { signal: ended.signal });
  }
  throw ended.signal.reason;
}
