import { randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { DoctorCheck, Engine, EngineOptions, Kept } from '../provider.ts';
import type { SqliteSite } from '../sites.ts';
import { driverClass } from './database.ts';
import { makeDirectory, markKept, sweepDirectories } from './directory.ts';
import { examine } from './doctor.ts';
import { SqliteLease } from './lease.ts';

/** How a SQLite database can be opened. */
export const modes = ['file', 'memory', 'shared'] as const;
export type Mode = (typeof modes)[number];

const always: EngineFacts['lacks'] = {
  wire: 'SQLite runs in the process of its caller: there is no round trip to count',
  identityStep: 'the ids of SQLite do not step',
  sessionZone: 'SQLite has no session, and no time zone of its own',
  cut: 'SQLite runs in the process of its caller: there is no connection to cut',
  hold: 'SQLite runs in the thread of its caller: nothing can be done there while it is held',
  abort: "SQLite ends no caller's statement by itself; who waits for a lock gives up by the caller's own time-out",
};

const lacks: Record<Mode, EngineFacts['lacks']> = {
  file: always,
  memory: {
    ...always,
    observer: 'a private database in memory has one connection only; mode shared has more',
    lock: 'a private database in memory has one connection only; mode shared has more',
    crash: 'a database in memory ends with its process; mode file does not',
    twoHosts: 'a private database in memory has one connection only; mode shared has more',
  },
  shared: { ...always, crash: 'a database in memory ends with its process; mode file does not' },
};

/** SQLite as Node.js brings it; a database of its own for every lease. */
export class SqliteEngine implements Engine {
  readonly provider = 'sqlite';
  readonly version: string;
  readonly #keepAll: boolean;
  readonly #directory: string;
  /** An empty database in WAL mode; copying it is quicker than making one. */
  readonly #template: string;
  readonly #leases = new Set<SqliteLease>();
  readonly #kept: string[] = [];
  readonly #onExit = (): void => this.#removeFiles();
  #stopped = false;

  constructor(options: EngineOptions) {
    sweepDirectories();
    this.#keepAll = options.keep ?? false;
    this.#directory = makeDirectory();
    this.#template = join(this.#directory, 'template.db');
    process.once('exit', this.#onExit);
    this.version = makeTemplate(this.#template);
  }

  facts(mode: string): EngineFacts {
    if (!isMode(mode)) throw new TypeError(`sqlite has no mode ${mode}; it has ${modes.join(', ')}`);
    return { provider: this.provider, mode, version: this.version, maxParams: 32_766, lacks: lacks[mode] };
  }

  async lease({ mode }: { mode: string }): Promise<Lease> {
    if (this.#stopped) throw new Error('sqlite: the engine has been stopped');
    const facts = this.facts(mode);
    const site = this.#newSite(mode as Mode);
    const lease: SqliteLease = new SqliteLease(facts, site, {
      keepAll: this.#keepAll,
      directory: this.#directory,
      kept: (path) => {
        markKept(this.#directory);
        this.#kept.push(path);
      },
      released: () => void this.#leases.delete(lease),
    });
    this.#leases.add(lease);
    return lease;
  }

  /** Files of databases that were left in place. */
  kept(): readonly Kept[] {
    return this.#kept.map((path) => ({ name: basename(path), where: dirname(path) }));
  }

  examine(mode: string): Promise<DoctorCheck[]> {
    return examine(() => this.lease({ mode }));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const lease of this.#leases) await lease.release();
    process.off('exit', this.#onExit);
    this.#removeFiles();
  }

  #newSite(mode: Mode): SqliteSite {
    const nonce = randomBytes(8).toString('hex');
    const site = { provider: 'sqlite', mode } as const;
    if (mode === 'memory') return { ...site, path: `file:ct-${nonce}?mode=memory` };
    if (mode === 'shared') return { ...site, path: `file:/ct-${nonce}?vfs=memdb` };
    const path = join(this.#directory, `ct-${nonce}.db`);
    copyFileSync(this.#template, path);
    return { ...site, path };
  }

  #removeFiles(): void {
    if (this.#kept.length === 0) {
      rmSync(this.#directory, { recursive: true, force: true });
      return;
    }
    const keep = (name: string): boolean =>
      name === 'KEPT' || this.#kept.some((path) => join(this.#directory, name).startsWith(path));
    for (const name of readdirSync(this.#directory)) {
      if (!keep(name)) rmSync(join(this.#directory, name), { force: true });
    }
  }
}

function isMode(mode: string): mode is Mode {
  return (modes as readonly string[]).includes(mode);
}

/** Returns the version of SQLite. */
function makeTemplate(path: string): string {
  const db = new (driverClass())(path);
  try {
    db.exec('PRAGMA journal_mode = WAL');
    return String(db.prepare('SELECT sqlite_version() AS version').get()?.version);
  } finally {
    db.close();
  }
}
