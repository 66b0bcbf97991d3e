import type { ModuleRef } from '../host/protocol.ts';
import type { Provider } from '../providers/provider.ts';

/** One engine path of one backend: an engine mode and an algorithm on it. */
export interface EnginePath {
  backend: string;
  module: ModuleRef;
  provider: Provider;
  mode: string;
  variant: string;
  contract: string;
  /** `sqlite/file/prepared`; a part with only one choice is left out. */
  name: string;
  /** The backend's statements, by name. */
  statements: Readonly<Record<string, string>>;
  ownProbe: boolean;
  /** The first path of the run with the same variant: this one, or one in another mode. */
  firstOfVariant: string;
}

/** The name of a path, without the parts that leave no choice. */
export function pathName(provider: Provider, mode: string, variant: string, variants: number): string {
  return [provider.name, ...(provider.modes.length > 1 ? [mode] : []), ...(variants > 1 ? [variant] : [])].join('/');
}

/** Whether a filter such as `sqlite`, `sqlite/file` or `sqlite/prepared` means this path. */
export function pathMatches(filter: string, path: Pick<EnginePath, 'provider' | 'mode' | 'variant'>): boolean {
  const [provider, ...parts] = filter.split('/');
  return provider === path.provider.name && parts.every((part) => part === path.mode || part === path.variant);
}
