import type { Site } from '../contracts/kernel/engine.ts';

/** A store in the memory of the subject's own thread; `openStore(site.name)` finds it. */
export interface MemorySite extends Site {
  provider: 'memory';
  name: string;
}

/** A SQLite database; `new DatabaseSync(site.path)` opens it. A path or a `file:` URI. */
export interface SqliteSite extends Site {
  provider: 'sqlite';
  path: string;
}

/** The shape of a site, by the provider's name. */
export interface Sites {
  memory: MemorySite;
  sqlite: SqliteSite;
}
export type ProviderName = keyof Sites;
