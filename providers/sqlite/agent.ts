import type { Found, SampleBy, Site, Sprung, Watched } from '../../contracts/kernel/engine.ts';
import type { Unable } from '../attached-hosts.ts';
import type { Agent } from '../provider.ts';
import type { SqliteSite } from '../sites.ts';
import { mayNeverEnd } from './bounded-read.ts';
import {
  analyse,
  copyTo,
  edit,
  makeCallersTable,
  nothing,
  read,
  restore,
  type SqliteSnapshot,
  snapshot,
  wipe,
} from './content.ts';
import { defineFunctions, driverClass, openOwn } from './database.ts';
import { databaseKey } from './database-key.ts';
import { counterFor, ForeignKeysOff, type Order } from './fault-counters.ts';
import { setNextId } from './identity.ts';
import { type Connection, instrument } from './instrument.ts';
import { atomically } from './transaction.ts';
import { isTrap, removeTrap, setTrap } from './traps.ts';
import { WatchedSite } from './watched-site.ts';
import { Recording, sampleQuery } from './watching.ts';

/** What a host says of itself. */
export interface Hello {
  process: number;
  /** Connections to the database that the subject has opened so far. */
  opened: number;
  /** A connection of the subject's keeps the database locked, transaction or not. */
  exclusive: boolean;
  /** The thread had imported node:sqlite before this agent came; what it opens cannot be seen. */
  tooLate: boolean;
}

/** Milliseconds that a mutant's hand waits for a lock. */
const handWait = 1000;

function unable(by: 'engine' | 'host', reason: string): Unable {
  return { unable: { by, reason } };
}

function install(): Agent {
  const sites = new Map<string, WatchedSite>();
  const siteOf = (key: string): WatchedSite => {
    const known = sites.get(key) ?? new WatchedSite();
    sites.set(key, known);
    return known;
  };

  instrument({
    opened(connection) {
      const site = siteOf(connection.key);
      site.opened += 1;
      site.connections.add(connection);
      defineFunctions(connection.db, {
        gate: (nonce, holds) => site.gate(connection, nonce, holds),
        look: () => site.look(),
      });
    },
    closed: (connection) => void siteOf(connection.key).connections.delete(connection),
    began: (connection, sql, bound) => siteOf(connection.key).began(connection, sql, bound),
  });

  const methods: Record<string, (at: SqliteSite, site: WatchedSite, ...args: never[]) => unknown> = {
    hello: (_at, site) =>
      ({ process: process.pid, opened: site.opened, exclusive: isExclusive(site), tooLate }) satisfies Hello,
    openTransactions: (_at, site) => site.openTransactions,
    arm: (at, site, order: Order) => arm(at, site, order),
    watch: (at, site, key: string, sample: SampleBy | null) => watch(at, site, key, sample),
    report: (_at, site, key: string) => report(site, key),
    revoke: (at, site, key: string) => revoke(at, site, key),
    forget(at, site) {
      for (const recording of site.recordings.values()) recording.close();
      site.recordings.clear();
      site.faults.clear();
      if (site.connections.size === 0) sites.delete(databaseKey(at.path));
    },
    // The rest is for a private database, which only the subject's own connection can see.
    read: (_at, site, statement: string): Found | 'may never end' =>
      onConnection(site, (db) => (mayNeverEnd(db, statement) ? 'may never end' : read(db, statement))) ?? {
        missing: 'no connection is open',
      },
    copyTo: (_at, site, path: string) => void onConnection(site, (db) => copyTo(db, path)),
    snapshot: (_at, site) => onConnection(site, snapshot) ?? nothing,
    restore: (_at, site, content: SqliteSnapshot) => void onConnection(site, (db) => restore(db, content)),
    setNextId: (_at, site, table: string, start: bigint) =>
      onConnection(site, (db) => setNextId(db, table, start)) ?? false,
    makeCallersTable: (_at, site) => void onConnection(site, makeCallersTable),
    analyse: (_at, site) => void onConnection(site, analyse),
    wipe: (_at, site) => void onConnection(site, wipe),
  };

  return {
    call(site: Site, method: string, args: unknown[]): unknown {
      const run = methods[method];
      if (!run) throw new TypeError(`sqlite: the agent has no method ${method}`);
      const at = site as SqliteSite;
      return run(at, siteOf(databaseKey(at.path)), ...(args as never[]));
    },
    hand(site: Site) {
      const at = site as SqliteSite;
      const watched = siteOf(databaseKey(at.path));
      const work = <T>(run: (db: Connection['db']) => T): T | undefined => {
        if (isPrivate(at)) return onConnection(watched, run);
        const db = openOwn(at.path, handWait);
        try {
          return run(db);
        } finally {
          db.close();
        }
      };
      return {
        snapshot: () => work(snapshot),
        restore: (content) => void work((db) => restore(db, content as SqliteSnapshot)),
        edit: (change) => void work((db) => edit(db, change)),
      };
    },
  };
}

/** A database that dies with its only connection; everything has to be done by the subject's own. */
function isPrivate(site: SqliteSite): boolean {
  return site.mode === 'memory';
}

function isExclusive(site: WatchedSite): boolean {
  const modeOf = ({ db }: Connection): unknown => db.prepare('PRAGMA locking_mode').get()?.locking_mode;
  return site.quietly(() => [...site.connections].some((connection) => modeOf(connection) === 'exclusive'));
}

function onConnection<T>(site: WatchedSite, work: (db: Connection['db']) => T): T | undefined {
  const connection = site.connection;
  return connection && site.quietly(() => work(connection.db));
}

function arm(at: SqliteSite, site: WatchedSite, order: Order): Unable | null {
  const { fault, nonce } = order;
  if (isPrivate(at) && isTrap(fault)) {
    const connection = site.connection;
    if (!connection) return unable('engine', 'no connection of node:sqlite to the private database is open');
    if (connection.db.isTransaction) {
      return unable('engine', 'the only connection is inside a transaction, and the trap would be rolled back with it');
    }
    site.quietly(() => atomically(connection.db, () => setTrap(connection.db, nonce, fault)));
  }
  const hasForeignKeys = ({ db }: Connection): boolean =>
    site.quietly(() => db.prepare('PRAGMA foreign_keys').get()?.foreign_keys === 1);
  site.faults.set(nonce, counterFor(order, hasForeignKeys));
  site.quietly(() => site.keepTrust());
  return null;
}

function watch(at: SqliteSite, site: WatchedSite, key: string, sample: SampleBy | null): Unable | null {
  const reader =
    sample === null || isPrivate(at) ? undefined : { db: openOwn(at.path, 0), statement: sampleQuery(sample) };
  if (reader && mayNeverEnd(reader.db, reader.statement)) {
    reader.db.close();
    return unable('engine', 'a statement with a recursive step may never end, and would not let go of the thread');
  }
  try {
    site.recordings.set(key, new Recording(reader));
    site.quietly(() => site.keepTrust());
  } catch (cause) {
    reader?.db.close();
    throw cause;
  }
  return null;
}

function report(site: WatchedSite, key: string): Sprung | Watched | Unable | undefined {
  try {
    return site.recordings.get(key)?.report() ?? site.faults.get(key)?.report();
  } catch (cause) {
    if (cause instanceof ForeignKeysOff) return unable('engine', cause.message);
    throw cause;
  }
}

function revoke(at: SqliteSite, site: WatchedSite, key: string): null {
  site.recordings.get(key)?.close();
  site.recordings.delete(key);
  const known = site.faults.delete(key);
  site.quietly(() => site.keepTrust());
  if (known && isPrivate(at)) onConnection(site, (db) => removeTrap(db, key));
  return null;
}

/** Two copies of this module in one thread (one compiled, one not) must not instrument the driver twice. */
const installedKey = Symbol.for('contract-test.sqlite.agent');
const holder = globalThis as { [installedKey]?: Agent };
holder[installedKey] ??= install();

const importedClass = (await import('node:sqlite')).DatabaseSync;
const tooLate = importedClass === driverClass();

/** The part of the sqlite provider beside the subject: sees and disturbs what the subject does with node:sqlite. */
export const agent: Agent = holder[installedKey];
