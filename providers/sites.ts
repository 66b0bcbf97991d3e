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

/** A schema of its own on a PostgreSQL server; what connects by this site is seen by the judge. */
export interface PostgresSite extends Site {
  provider: 'postgres';
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** Created, empty, and the first of the role's search path; put it in front of names where a library asks for one. */
  schema: string;
  /** The same as a URL, with the schema as search path: `new Pool({ connectionString: site.url })`. */
  url: string;
}

/** The shape of a site, by the provider's name. */
export interface Sites {
  memory: MemorySite;
  sqlite: SqliteSite;
  postgres: PostgresSite;
}
export type ProviderName = keyof Sites;
