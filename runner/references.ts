import type { ModuleRef } from '../host/protocol.ts';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** The backends that come with the toolkit, judged when no other is named. */
export const references: readonly ModuleRef[] = ['memory', 'sqlite'].map((engine) => ({
  url: new URL(`../reference-impl/${engine}/index${extension}`, import.meta.url).href,
  export: 'default',
}));
