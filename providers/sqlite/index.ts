import { defineProvider, EngineUnavailable } from '../provider.ts';
import { siblingModule } from '../sibling-module.ts';
import { modes, SqliteEngine } from './engine.ts';

/** SQLite through node:sqlite. Needs nothing. */
export const sqlite = defineProvider({
  name: 'sqlite',
  title: 'SQLite, as Node.js brings it: in a file (WAL), in private memory, in memory shared by several connections',
  modes,
  inProcess: true,
  privateModes: ['memory'],
  oneProcessModes: ['shared'],
  agent: siblingModule('agent', import.meta.url),
  async start(options) {
    if (options.url) throw new EngineUnavailable('sqlite takes no address: it makes its databases itself');
    return new SqliteEngine(options);
  },
});
