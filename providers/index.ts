import { memory } from './memory/index.ts';
import { postgres } from './postgres/index.ts';
import type { Provider } from './provider.ts';
import { sqlite } from './sqlite/index.ts';

/** The engines that the toolkit knows, in the order that they are listed. */
export const providers: readonly Provider[] = [memory, sqlite, postgres];

/** The provider of that name, or undefined. */
export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name);
}
