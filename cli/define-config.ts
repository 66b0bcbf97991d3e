import type { HostKind } from '../host/host.ts';
import type { Provision } from '../providers/provider.ts';

type OneOrMore = string | string[];

/** What contract-test.config.ts may hold: the options of `contract-test run`, by the same names. */
export interface Config {
  /** Engine paths such as `sqlite` or `sqlite/file/prepared`. */
  provider?: OneOrMore;
  /** Address of the server of the one provider that has one, without a password, or `@file`. */
  url?: string;
  /** The way to a server. */
  provision?: Provision;
  /** Providers without which the run must fail; those named by `provider` are. */
  require?: OneOrMore;
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
  /** Shows what was sent to the engine in a case that broke a rule. */
  trace?: boolean;
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
