import type { BackendModule } from './run-options.ts';

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** The backends that come with the toolkit, judged when no other is named. */
export const references: readonly BackendModule[] = ['memory', 'sqlite', 'postgres'].map((provider) => ({
  provider,
  url: new URL(`../reference-impl/${provider}/index${extension}`, import.meta.url).href,
  export: 'default',
}));

/** What to say of a built-in backend that does not load because its driver, an optional package, is not installed. */
export function withoutDriver({ provider }: BackendModule, message: string): string | undefined {
  const missing = provider && /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (!missing) return undefined;
  return `the npm package ${missing} is not installed, by which ${provider} is reached; npm install --save-dev ${missing}`;
}
