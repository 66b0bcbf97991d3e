import type { BackendModule } from './run-options.ts';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** The backends that come with the toolkit, judged when no other is named. */
export const references: readonly BackendModule[] = ['memory', 'sqlite', 'postgres'].map((provider) => ({
  provider,
  url: new URL(`../reference-impl/${provider}/index${extension}`, import.meta.url).href,
  export: 'default',
}));
