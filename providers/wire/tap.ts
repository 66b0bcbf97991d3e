import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Stillness } from '../../contracts/kernel/engine.ts';
import { Connection } from './connection.ts';
import { type Act, Interference, Interferences, type Place, type Victim } from './interference.ts';
import { quiet } from './quiet.ts';
import { type Hearing, Recorder, type Recording, type RecordOptions } from './recording.ts';
import { optionText } from './start-up.ts';
import type { Upstream } from './upstream.ts';

/** An interference that was asked for. */
export interface Armed {
  /** Resolves when it goes off. */
  readonly reached: Promise<void>;
  /** Bytes that had passed on its connection, since it was armed, when it went off. */
  readonly passed: Victim['bytes'] | undefined;
  /** It does not go off any more. */
  disarm(): void;
}

/** A default that was given to sessions. */
export interface SessionDefault {
  /** Sessions that began with it. */
  readonly sessions: number;
  /** Sessions that begin later do without it. */
  remove(): void;
}

/** A loopback address whose connections lead to a server, and which sees what passes. */
export interface Tap {
  readonly host: string;
  readonly port: number;
  /** Starts to record; several recordings can be on at once. */
  record(options?: RecordOptions): Recording;
  /** Lets something be done, once, to the connection that is the first to come to a point. */
  interfere(point: Place, act: Act): Armed;
  /** Names the functions that may write, so that a SELECT that calls one is taken for what it is. */
  knowFunctions(names: readonly string[]): void;
  /**
   * Waits until the server is through with all that the clients have sent, and nothing has come for some milliseconds;
   * or until the time is over.
   */
  quiet(milliseconds: number): Promise<Stillness>;
  /** Sets a parameter for sessions that begin from now on, as their default: what their client sets itself holds. */
  setDefault(parameter: string, value: string): SessionDefault;
  /** Counts the server's errors of a code, and enters them in the recordings. */
  hear(sqlstate: string): Hearing;
  /** Enters in the recordings what was done to all connections. */
  note(text: string): void;
  /** Ends all connections and gives the port back; resolves when the server has let go of their sessions. */
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
  const interferences = new Interferences();
  const connections = new Set<Connection>();
  let sessions = 0;
  const shared = {
    upstream,
    recorder,
    interferences,
    cancelKeys: new Map(),
    options: new Set<{ text: string; sessions: number }>(),
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
    interfere(point, act) {
      const interference = new Interference(point, act, recorder.bytes);
      interferences.arm(interference);
      return {
        reached: interference.reached,
        get passed() {
          return interference.passed;
        },
        disarm: () => interferences.disarm(interference),
      };
    },
    knowFunctions: (names) => {
      recorder.functions = new Set(names.map((name) => name.toUpperCase()));
    },
    quiet: (milliseconds) => quiet(recorder, milliseconds),
    setDefault(parameter, value) {
      const option = { text: optionText(parameter, value), sessions: 0 };
      shared.options.add(option);
      return {
        get sessions() {
          return option.sessions;
        },
        remove: () => void shared.options.delete(option),
      };
    },
    hear: (sqlstate) => recorder.hear(sqlstate),
    note: (text) => recorder.note(text),
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      await Promise.all([closed, ...[...connections].map((connection) => connection.close())]);
    },
  };
}
