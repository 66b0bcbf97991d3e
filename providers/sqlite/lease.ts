import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import {
  type AgentLink,
  type ArmedFault,
  type CallersTable,
  type Crashed,
  type Fault,
  type Found,
  type Lease,
  LeftLocked,
  type OtherTransaction,
  type SampleBy,
  type Snapshot,
  type Sprung,
  type Stillness,
  type Watch,
  type Watched,
} from '../../contracts/kernel/engine.ts';
import { NotApplicable } from '../../contracts/kernel/guard.ts';
import { AttachedHosts, addSprung, joinWatched } from '../attached-hosts.ts';
import { callersTableName, textsOf } from '../callers-table.ts';
import { untilNoneIsOpen } from '../open-transactions.ts';
import type { SqliteSite } from '../sites.ts';
import type { Hello } from './agent.ts';
import { mayNeverEnd, readWithin } from './bounded-read.ts';
import {
  analyse,
  copyTo,
  makeCallersTable,
  nothing,
  read,
  restore,
  type SqliteSnapshot,
  snapshot,
  wipe,
} from './content.ts';
import { DirectConnection, unlessLocked } from './direct.ts';
import { leftOpen, saysLeftOpen } from './errors.ts';
import type { Order } from './fault-counters.ts';
import { setNextId } from './identity.ts';
import { Killing, sprungBy } from './killing.ts';
import { whatIsLacking } from './lacking.ts';
import { Mechanisms } from './mechanisms.ts';
import { beginOther } from './other-transaction.ts';
import { newNonce } from './sql.ts';
import { rowFaults } from './traps.ts';
import { WaitingList } from './waiting-list.ts';

/** What a lease needs of its engine. */
export interface Landlord {
  keepAll: boolean;
  directory: string;
  kept(path: string): void;
  released(): void;
}

/**
 * A database of its own.
 *
 * In modes file and shared the judge has a direct connection. In mode memory only the subject's connection sees the
 * database, and everything goes through the agent in the subject's host.
 */
export class SqliteLease implements Lease {
  readonly facts: EngineFacts;
  readonly site: SqliteSite;
  readonly rowFaults = rowFaults;
  readonly #landlord: Landlord;
  readonly #hosts = new AttachedHosts();
  /** Absent where the database is private. */
  readonly #direct: DirectConnection | undefined;
  readonly #mechanisms: Mechanisms;
  readonly #killing: Killing;
  readonly #lists = new Set<WaitingList>();
  readonly #begun = new Set<OtherTransaction>();
  #released = false;

  constructor(facts: EngineFacts, site: SqliteSite, landlord: Landlord) {
    this.facts = facts;
    this.site = site;
    this.#landlord = landlord;
    this.#direct = site.mode === 'memory' ? undefined : new DirectConnection(site);
    this.#mechanisms = new Mechanisms(this.#direct);
    this.#killing = new Killing(site.path, landlord.directory, this.#direct);
  }

  async attach(link: AgentLink): Promise<() => Promise<void>> {
    const hello = (await link.call('hello', [])) as Hello;
    if (this.site.mode === 'shared' && hello.process !== process.pid) {
      throw new NotApplicable('host', "a database in shared memory can be opened inside the judge's process only");
    }
    if (await this.#isExclusive()) throw new NotApplicable('engine', keptForItself);
    this.#killing.attach(link, hello);
    const leave = await this.#hosts.attach(link);
    return () => {
      this.#killing.leave(link);
      return leave();
    };
  }

  async read(statement: string): Promise<Found> {
    const absent = { missing: 'there is no database file' };
    const found = await this.#own<Found | 'may never end'>(
      (db) => (mayNeverEnd(db, statement) ? 'may never end' : read(db, statement)),
      absent,
      'read',
      statement,
    );
    return found === 'may never end' ? this.#readApart(statement) : found;
  }

  /** Reads by a process that can be killed: from the file, or from a copy of what is in memory. */
  async #readApart(statement: string): Promise<Found> {
    const { mode, path } = this.site;
    if (mode === 'file') return readWithin({ path, statement });
    const copy = join(this.#landlord.directory, `copy-${randomBytes(6).toString('hex')}.db`);
    try {
      await this.#own((db) => copyTo(db, copy), undefined, 'copyTo', copy);
      return await readWithin({ path: copy, statement });
    } finally {
      rmSync(copy, { force: true });
    }
  }

  snapshot(): Promise<SqliteSnapshot> {
    return this.#own<SqliteSnapshot>(snapshot, nothing, 'snapshot');
  }

  async restore(content: Snapshot): Promise<void> {
    await this.#own((db) => restore(db, content as SqliteSnapshot), undefined, 'restore', content);
  }

  async begin(): Promise<OtherTransaction> {
    if (this.facts.lacks.lock) throw new NotApplicable('engine', this.facts.lacks.lock);
    await this.#requireDriver();
    const nonce = newNonce();
    const list = this.#newWaitingList(nonce, 'lock');
    const begun = await this.#ordered(this.#order(nonce, { at: 'lock' }, list), () =>
      beginOther(this.site.path, list, async () => void (await this.#hosts.revoke(nonce))),
    );
    this.#begun.add(begun);
    return begun;
  }

  async callersTable(): Promise<CallersTable> {
    await this.#own(makeCallersTable, undefined, 'makeCallersTable');
    return {
      insert: (text) => `INSERT INTO ${callersTableName} (text) VALUES ('${text}')`,
      texts: async () => textsOf(await this.read(`SELECT text FROM ${callersTableName} ORDER BY text`)),
    };
  }

  async analyse(): Promise<void> {
    await this.#own(analyse, undefined, 'analyse');
  }

  async wipe(): Promise<void> {
    await this.#own(wipe, undefined, 'wipe');
  }

  async arm(fault: Fault): Promise<ArmedFault> {
    const lacking = whatIsLacking(this.facts, fault);
    if (lacking) throw new NotApplicable('engine', lacking);
    if (fault.at === 'identity') return this.#setIdentity(fault.table, fault.start);
    if (fault.at === 'crash') this.#killing.requireProcess();
    await this.#requireDriver();
    const nonce = newNonce();
    const mark = fault.at === 'crash' ? this.#killing.expect(nonce) : undefined;
    const list = fault.at === 'lock' || fault.at === 'start' ? this.#newWaitingList(nonce, fault.at) : undefined;
    await this.#ordered(this.#order(nonce, fault, mark ?? list), () => this.#mechanisms.set(nonce, fault));
    const sum = (reports: unknown[]): Sprung => addSprung([...(reports as Sprung[]), sprungBy(mark)]);
    let last: Promise<Sprung> | undefined;
    const sprung = async (): Promise<Sprung> => last ?? sum(await this.#hosts.reports(nonce));
    const disarm = async (): Promise<void> => {
      if (last) return;
      // Whoever waits at the start answers only then.
      if (fault.at === 'start') list?.stop();
      await this.#mechanisms.remove(nonce, fault);
      mark?.stop();
      last = this.#hosts.revoke(nonce).then(sum);
      // That the fault could not work here is for `sprung` to say.
      await last.catch((cause: unknown) => {
        if (!(cause instanceof NotApplicable)) throw cause;
      });
      list?.stop();
    };
    return {
      nonce,
      sprung,
      disarm,
      ...(mark && { reached: mark.written }),
      ...(list && { waiting: (sessions: number) => list.holds(sessions) }),
    };
  }

  async crash(): Promise<Crashed> {
    if (this.facts.lacks.crash) throw new NotApplicable('engine', this.facts.lacks.crash);
    return this.#killing.crash();
  }

  async recover(): Promise<string> {
    return this.#killing.recover();
  }

  async quiet(): Promise<Stillness> {
    return untilNoneIsOpen(async () => {
      const open = (await this.#hosts.callAll('openTransactions', [])) as number[];
      return open.reduce((sum, one) => sum + one, 0);
    });
  }

  async watch(sample?: SampleBy): Promise<Watch> {
    await this.#requireDriver();
    const looks = sample !== undefined && this.#direct !== undefined;
    const key = `watch-${randomBytes(6).toString('hex')}`;
    await this.#hosts.order(key, 'watch', [key, sample ?? null]);
    if (looks) await this.#mechanisms.changeLooks(+1);
    const stop = async (): Promise<Watched> => {
      // First the triggers, which only a host that still records can run.
      if (looks) await this.#mechanisms.changeLooks(-1);
      return joinWatched((await this.#hosts.revoke(key)) as Watched[]);
    };
    let last: Promise<Watched> | undefined;
    return {
      stop() {
        last ??= stop();
        return last;
      },
    };
  }

  async release(options: { keep?: boolean } = {}): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    for (const begun of this.#begun) await begun.rollback().catch(() => {});
    for (const list of this.#lists) list.stop();
    try {
      await this.#hosts.callAll('forget', []);
    } finally {
      this.#killing.stop();
      await this.#leaveDatabase(options.keep ?? this.#landlord.keepAll);
      this.#landlord.released();
    }
  }

  async #leaveDatabase(keep: boolean): Promise<void> {
    const db = this.#direct?.opened;
    if (db?.isTransaction) db.exec('ROLLBACK');
    if (keep) await this.#keep(db);
    this.#direct?.close();
    if (this.site.mode === 'file' && !keep) {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(this.site.path + suffix, { force: true });
    }
  }

  async #keep(db: DatabaseSync | undefined): Promise<void> {
    if (this.site.mode === 'file' && existsSync(this.site.path)) this.#landlord.kept(this.site.path);
    if (this.site.mode !== 'shared' || !db) return;
    const copy = join(this.#landlord.directory, `kept-${randomBytes(6).toString('hex')}.db`);
    await unlessLocked(() => copyTo(db, copy));
    this.#landlord.kept(copy);
  }

  #order(nonce: string, fault: Fault, file: { path: string } | undefined): Order {
    return { nonce, fault, judge: process.pid, mark: file?.path ?? '', keepsReaders: this.site.mode === 'shared' };
  }

  /** Tells every host of a fault before it is set; one that cannot be set is taken back. */
  async #ordered<T>(order: Order, set: () => Promise<T>): Promise<T> {
    await this.#hosts.order(order.nonce, 'arm', [order]);
    try {
      return await this.#unlessExclusive(set);
    } catch (cause) {
      await this.#hosts.revoke(order.nonce);
      throw cause;
    }
  }

  #newWaitingList(nonce: string, at: 'lock' | 'start'): WaitingList {
    const path = join(this.#landlord.directory, `${nonce}.waiting`);
    // At the start a whole thread is stopped.
    const list = new WaitingList(path, at === 'start' ? () => this.#hosts.size : undefined);
    this.#lists.add(list);
    return list;
  }

  /** A subject that goes through another driver can be neither disturbed nor watched. */
  async #requireDriver(): Promise<void> {
    const hosts = (await this.#hosts.callAll('hello', [])) as Hello[];
    if (hosts.length === 0 && this.#direct) return;
    if (hosts.some(({ opened }) => opened > 0)) return;
    if (hosts.some(({ tooLate }) => tooLate)) {
      throw new NotApplicable('host', 'node:sqlite was imported in this thread before the agent that watches it');
    }
    throw new NotApplicable('engine', 'the subject has opened no connection of node:sqlite to this database');
  }

  async #setIdentity(table: string, start: bigint): Promise<ArmedFault> {
    const set = this.#direct
      ? await unlessLocked(() => setNextId(this.#direct!.required(), table, start))
      : await this.#ask('setNextId', table, start);
    if (!set) throw new NotApplicable('engine', `${table} does not number its rows by AUTOINCREMENT`);
    const sprung = async (): Promise<Sprung> => ({ count: 1, rowsBefore: 0, raised: 0 });
    return { nonce: '', sprung, disarm: async () => {} };
  }

  /** Works on the judge's own connection, or, where the database is private, through the agent. */
  async #own<T>(work: (db: DatabaseSync) => T, absent: T, method: string, ...args: unknown[]): Promise<T> {
    const direct = this.#direct;
    if (!direct) return (await this.#ask(method, ...args)) as T;
    return this.#unlessExclusive(() =>
      unlessLocked(() => {
        const db = direct.get();
        return db ? work(db) : absent;
      }),
    );
  }

  /** A subject that keeps its database for itself has left no transaction open; it only lets nobody look. */
  async #unlessExclusive<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (!(cause instanceof LeftLocked)) throw cause;
      throw (await this.#isExclusive()) ? new NotApplicable('engine', keptForItself) : cause;
    }
  }

  async #isExclusive(): Promise<boolean> {
    return ((await this.#hosts.callAll('hello', [])) as Hello[]).some(({ exclusive }) => exclusive);
  }

  /** Asks the host that was attached last. */
  async #ask(method: string, ...args: unknown[]): Promise<unknown> {
    const answers = await this.#hosts.callAll(method, args).catch((cause: unknown) => {
      throw saysLeftOpen(cause) ? new LeftLocked(leftOpen, { cause }) : cause;
    });
    if (answers.length > 0) return answers.at(-1);
    return method === 'snapshot' ? nothing : { missing: 'no host is attached' };
  }
}

const keptForItself =
  'the subject opens its database in locking_mode EXCLUSIVE, so that nobody else can open it or look into it';
