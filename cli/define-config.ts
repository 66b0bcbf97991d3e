import type { HostKind } from '../host/host.ts';

type OneOrMore = string | string[];

/** What contract-test.config.ts may hold: the options of `contract-test run`, by the same names. */
export interface Config {
  /** Engine paths such as `sqlite` or `sqlite/file/prepared`. */
  provider?: OneOrMore;
  /** Modules with a backend: `file` or `file#export`, relative to the configuration. */
  backend?: OneOrMore;
  contract?: OneOrMore;
  /** Globs over guard ids. */
  guard?: OneOrMore;
  seed?: number;
  /** Generated inputs of each property. */
  runs?: number;
  /** What a guard has: milliseconds, or a text such as `10s`. */
  timeout?: number | string;
  /** Leaves namespaces in place. */
  keep?: boolean;
  host?: HostKind;
  /** `console`, `json`, or `json=file`. */
  reporter?: OneOrMore;
  /** Violated should clauses fail the run. */
  strict?: boolean;
  debug?: boolean;
}

/** Gives a configuration its type; returns it as it is. */
export function defineConfig(config: Config): Config {
  return config;
}
