import type { Socket } from 'node:net';
import { Conversation } from './conversation.ts';
import { type Decision, Flow, reset, type Verdict } from './flow.ts';
import { type Cut, Framer, type Message, packet } from './framer.ts';
import type { Interferences } from './interference.ts';
import { lookBeforeSync, lookInside } from './look-inside.ts';
import { Meddling } from './meddling.ts';
import { code, fromClient, fromServer, readError, withoutChannelBinding } from './messages.ts';
import type { Moment, Recorder, Session } from './recording.ts';
import { withOption } from './start-up.ts';
import { cancelUpstream, connectUpstream, type Upstream } from './upstream.ts';

/** What all connections of a tap share. */
export interface Shared {
  readonly upstream: Upstream;
  readonly recorder: Recorder;
  readonly interferences: Interferences;
  /** Sessions by process and key, as a cancel request names them. */
  readonly cancelKeys: Map<string, Conversation>;
  /** What sessions that begin now are given, unless their client says otherwise. */
  readonly options: Set<{ text: string; sessions: number }>;
  /** The number of the next session. */
  nextNumber(): number;
}

/** Milliseconds that a server has to end a session whose client is gone. */
const longestFarewell = 1000;

const startsStatement: ReadonlySet<number> = new Set(['Q', 'E', 'F'].map(code));

/** A client's connection and the one to the server that stands for it. */
export class Connection {
  /** Resolves when all its sockets are closed. */
  readonly closed: Promise<void>;
  readonly #client: Socket;
  readonly #shared: Shared;
  readonly #sockets = new Set<Socket>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #gaveUp = Promise.withResolvers<void>();
  #server: Socket | undefined;
  #session: Session | undefined;
  #meddling: Meddling | undefined;
  #cancelKey: string | undefined;
  #up!: Flow;
  #down!: Flow;
  /** Looks are taken one after the other. */
  #looking: Promise<void> = Promise.resolve();
  #inside = false;
  /** Its session has not begun. */
  #arriving = true;
  /** Of the server's bytes that came at once, the first message by which a statement ended. */
  readonly #replies = new WeakSet<Message>();

  constructor(client: Socket, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
    this.closed = this.#closed.promise;
    shared.recorder.arrives(1);
    this.#own(client);
    client.once('end', this.#gaveUp.resolve).once('close', this.#gaveUp.resolve);
    connectUpstream(shared.upstream, (socket) => this.#own(socket)).then(
      (server) => this.#run(server),
      // A server that cannot be reached refuses; the client has got further, so that all that is left is a reset.
      () => this.#resetAll(),
    );
  }

  /** Ends the client at once, and the server's session; resolves when the server has let go of it, or after a while. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server && this.#session) {
      this.#up.drop();
      this.#down.drop();
      this.#client.destroy();
      server.end();
      // What runs is run to its end, whoever waits for it.
      if (!this.#session.conversation.idle && this.#cancelKey !== undefined)
        cancelUpstream(this.#shared.upstream, Buffer.from(this.#cancelKey, 'hex'));
      const patience = setTimeout(() => this.#destroyAll(), longestFarewell);
      await this.closed;
      clearTimeout(patience);
    } else {
      this.#destroyAll();
      await this.closed;
    }
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #own(socket: Socket): void {
    this.#sockets.add(socket);
    // What an error means for the other side is decided when the socket closes, which always follows.
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#sockets.delete(socket);
      if (socket === this.#client && !this.#up) this.#resetAll();
      if (this.#sockets.size > 0) return;
      this.#ended();
      this.#closed.resolve();
    });
  }

  #resetAll(): void {
    for (const socket of this.#sockets) reset(socket);
  }

  /** Resets the client; the server sees its side end, and what it still says is heard by nobody but the tap. */
  #cut(where: 'request' | 'answer'): void {
    this.#up.drop();
    const server = this.#server!;
    // A server that has ended the session itself has said why, and that is still on its way.
    if (where === 'answer' || !(server.readableEnded || server.destroyed)) {
      this.#down.drop();
      reset(this.#client);
    }
    server.end();
  }

  #run(server: Socket): void {
    if (this.#client.destroyed) return void server.destroy();
    this.#server = server;
    server.once('end', this.#gaveUp.resolve).once('close', this.#gaveUp.resolve);
    this.#up = new Flow({
      from: this.#client,
      to: server,
      framer: new Framer(fromClient, true),
      // A server goes on with what it has, whoever waits for it; only its end tells that it is through.
      lingers: true,
      decide: (message) => this.#decideUp(message),
      passing: (message, bytes) => this.#passingUp(message, bytes),
      continuing: (bytes) => this.#shared.recorder.search(bytes, this.#session?.conversation.carrier),
    });
    this.#down = new Flow({
      from: server,
      to: this.#client,
      framer: new Framer(fromServer, false),
      arrived: (cuts) => this.#arrivedDown(cuts),
      decide: (message) => this.#decideDown(message),
      ended: () => this.#session?.conversation.end(),
    });
    this.#client.resume();
  }

  #decideUp(message: Message): Decision | undefined {
    if (message.type === 0) return this.#decideOpening(message.body);
    const { first, after } = this.#meddling?.decideUp(message) ?? {};
    const look = this.#lookBefore(message);
    return decision({ look, first, after });
  }

  /** How the recordings look before a message of the client is passed on. */
  #lookBefore({ type }: Message): (() => Promise<void>) | undefined {
    if (!this.#shared.recorder.looks) return undefined;
    if (startsStatement.has(type)) return () => this.#look('statement');
    if (type === code('S') && this.#session?.conversation.running)
      return () => lookBeforeSync(() => this.#look('running'));
    return undefined;
  }

  /** TLS and GSSAPI are refused: the way to a loopback address is as private as the tap is. */
  #decideOpening(body: Buffer): Decision | undefined {
    const request = body.readInt32BE();
    if (request >> 16 === 3) return this.#withOptions(body);
    if (request !== packet.ssl && request !== packet.gss) return undefined;
    return {
      first: async () => {
        this.#client.write('N');
        return 'pass';
      },
      instead: Buffer.alloc(0),
    };
  }

  #withOptions(body: Buffer): Decision | undefined {
    const { options } = this.#shared;
    if (options.size === 0) return undefined;
    for (const option of options) option.sessions += 1;
    return { instead: withOption(body, [...options].map(({ text }) => text).join(' ')) };
  }

  #passingUp(message: Message, bytes: Buffer): void {
    if (message.type === 0) this.#open(message.body);
    const conversation = this.#session?.conversation;
    if (!conversation || message.type === 0) return;
    conversation.fromClient(message);
    this.#shared.recorder.stirred();
    this.#shared.recorder.search(bytes, conversation.carrier);
    if (startsStatement.has(message.type) && this.#shared.recorder.looks) this.#lookInside(conversation);
  }

  #open(body: Buffer): void {
    const request = body.readInt32BE();
    if (request === packet.cancel) {
      const running = this.#shared.cancelKeys.get(body.toString('hex', 4))?.running;
      if (running) running.seen.cancelled = true;
    } else if (request >> 16 === 3) {
      const conversation = new Conversation(this.#shared.nextNumber(), this.#shared.recorder);
      this.#session = { conversation, up: this.#up, down: this.#down };
      this.#shared.recorder.connected(this.#session);
      this.#meddling = new Meddling({
        ...this.#session,
        interferences: this.#shared.interferences,
        functions: () => this.#shared.recorder.functions,
        gaveUp: this.#gaveUp.promise,
        note: (text) => this.#shared.recorder.note(text, conversation.number),
        cut: (where) => this.#cut(where),
      });
    }
  }

  #arrivedDown(cuts: readonly Cut[]): void {
    let reply: Message | undefined;
    this.#shared.recorder.stirred();
    for (const { message } of cuts) {
      if (message.type === code('K')) this.#keep(message.body.toString('hex'));
      if (message.type === code('Z')) this.#hasArrived();
      // All are told at once: what the server has already said, a look between the replies must not miss.
      if (this.#session?.conversation.fromServer(message)) reply ??= message;
      if (message.type === code('E') && this.#session)
        this.#shared.recorder.failed(readError(message.body), this.#session.conversation.number);
      this.#meddling?.came(message);
    }
    if (reply) this.#replies.add(reply);
  }

  #decideDown(message: Message): Decision | undefined {
    const looks = this.#replies.has(message) && this.#shared.recorder.looks;
    const look = looks ? () => this.#look('reply') : undefined;
    const { first } = this.#meddling?.decideDown(message) ?? {};
    if (look || first) return decision({ look, first });
    if (message.type === code('R') && this.#shared.upstream.tls) {
      const instead = withoutChannelBinding(message.body);
      if (instead) return { instead };
    }
    return undefined;
  }

  #keep(key: string): void {
    if (!this.#session) return;
    this.#cancelKey = key;
    this.#shared.cancelKeys.set(key, this.#session.conversation);
  }

  #look(at: Moment['at']): Promise<void> {
    this.#looking = this.#looking.then(() => this.#shared.recorder.look(at));
    return this.#looking;
  }

  /** Lets the recordings look while the server is at work. */
  async #lookInside(conversation: Conversation): Promise<void> {
    if (this.#inside) return;
    this.#inside = true;
    const running = () => (this.#shared.recorder.looks ? conversation.running : undefined);
    await lookInside(running, () => this.#look('running'));
    this.#inside = false;
  }

  #hasArrived(): void {
    if (this.#arriving) this.#shared.recorder.arrives(-1);
    this.#arriving = false;
  }

  #ended(): void {
    this.#hasArrived();
    if (!this.#session) return;
    this.#shared.recorder.closed(this.#session);
    if (this.#cancelKey !== undefined) this.#shared.cancelKeys.delete(this.#cancelKey);
  }
}

/** Looks, then does what else is to be done with a message. */
function decision(parts: {
  look: (() => Promise<void>) | undefined;
  first: Decision['first'] | undefined;
  after?: Decision['after'] | undefined;
}): Decision | undefined {
  const { look, first, after } = parts;
  if (!look && !first && !after) return undefined;
  const both = async (): Promise<Verdict> => {
    await look?.();
    return first ? first() : 'pass';
  };
  return { ...((look || first) && { first: both }), ...(after && { after }) };
}
