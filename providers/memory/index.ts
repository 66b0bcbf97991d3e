import { defineProvider } from '../provider.ts';
import { siblingModule } from '../sibling-module.ts';
import { MemoryEngine } from './engine.ts';

/** The model: a transactional store in the subject's own process. Needs nothing. */
export const memory = defineProvider({
  name: 'memory',
  title: 'a transactional table store in the process; the model that needs no engine',
  modes: ['memory'],
  inProcess: true,
  agent: siblingModule('agent', import.meta.url),
  start: async () => new MemoryEngine(),
});
