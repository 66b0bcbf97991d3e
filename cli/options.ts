import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostKind } from '../host/host.ts';
import type { ModuleRef } from '../host/protocol.ts';
import { provisions } from '../providers/provider.ts';
import { urlVariable } from '../providers/provision/url.ts';
import { type ReporterSpec, reporterNames } from '../reporters/index.ts';
import type { ServerUrl } from '../runner/run-options.ts';
import { UsageError } from '../runner/usage-error.ts';
import { didYouMean, nearest } from './suggest.ts';

/** Gathers the values of an option that can be repeated. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export const hostKinds = ['worker', 'process', 'inline'] as const satisfies readonly HostKind[];
export const defaultProviders = ['memory', 'sqlite'];
export const urlHelp = "address of the engine's server, without a password, or @file";
export const provisionHelp = `the way to the engine's server: ${provisions.join(', ')} (default: the first that works)`;

/** A list of names: given once or often, and separated by commas. One that was given and names nothing is refused. */
export function list(values: readonly string[]): string[] {
  const names = values
    .flatMap((value) => value.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (values.length > 0 && names.length === 0) {
    throw new UsageError(`${quoted(values.join(','))} names nothing`, 'leave the option out for all');
  }
  return names;
}

/** Checks the shape `name[/mode[/variant]]`; whether there is such a path, the runner knows. */
export function path(name: string, value: string): string {
  const parts = value.split('/');
  if (parts.length > 3 || parts.some((part) => part === '')) {
    throw new UsageError(`${name} ${quoted(value)} is no engine path`, 'write name, name/mode or name/mode/variant');
  }
  return value;
}

export interface Bounds {
  least: number;
  most: number;
}

/** A whole number within bounds, from the command line or a configuration. */
export function integer(name: string, value: string | number, { least, most }: Bounds): number {
  const number = typeof value === 'number' ? value : /^[+-]?\d+$/.test(value.trim()) ? Number(value) : Number.NaN;
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new UsageError(`${name} ${quoted(value)} is no whole number from ${least} to ${most}`);
  }
  return number;
}

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000 };
/** The longest that a timer can wait. */
const longest = 2 ** 31 - 1;

/** A span of time in milliseconds: `500`, `500ms`, `10s`, `2m`. */
export function milliseconds(name: string, value: string | number): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m)?$/.exec(String(value).trim());
  const span = match ? Math.round(Number(match[1]) * units[match[2] ?? 'ms']!) : Number.NaN;
  if (!(span >= 1 && span <= longest)) {
    throw new UsageError(
      `${name} ${quoted(value)} is no span of time`,
      'write milliseconds, or a unit: 500ms, 10s, 2m',
    );
  }
  return span;
}

/** One of some words. */
export function word<W extends string>(name: string, value: string, words: readonly W[]): W {
  const found = words.find((w) => w === value);
  if (found === undefined) throw new UsageError(`${name} ${quoted(value)} is not known`, didYouMean(value, words));
  return found;
}

/** A seed of its own for a run that was given none; fast-check takes 32 bits. */
export function randomSeed(): number {
  return randomInt(2 ** 31);
}

/** `console`, `json` or `json=report.json`. */
export function reporter(name: string, value: string): ReporterSpec {
  const [kind, ...rest] = value.split('=');
  const spec = { name: word(name, kind!, reporterNames) };
  if (rest.length === 0) return spec;
  const file = rest.join('=');
  if (spec.name === 'console') throw new UsageError(`${name} ${quoted(value)}: console writes to the terminal only`);
  if (file === '') throw new UsageError(`${name} ${quoted(value)} names no file`, 'write json=report.json');
  return { ...spec, file };
}

/** `file` or `file#export`, relative to a folder; the export is `default` where none is named. */
export function backend(name: string, value: string, folder: string): ModuleRef {
  // A file may have a # in its name.
  const hash = existsSync(resolve(folder, value)) ? -1 : value.lastIndexOf('#');
  const [file, exported] = hash > 0 ? [value.slice(0, hash), value.slice(hash + 1)] : [value, 'default'];
  if (exported === '') throw new UsageError(`${name} ${quoted(value)} names no export`, 'write file or file#export');
  const full = resolve(folder, file);
  if (!existsSync(full)) throw new UsageError(`${name} ${quoted(value)}: there is no file ${full}`, similarFile(full));
  if (!statSync(full).isFile()) throw new UsageError(`${name} ${quoted(value)}: ${full} is not a file`);
  return { url: pathToFileURL(full).href, export: exported };
}

/**
 * The address of a server, or `@file` for a file that holds it, relative to a folder.
 *
 * An address with a password is refused, since others can read the command line; what is said of it never shows it.
 */
export function serverUrl(name: string, value: string, folder: string): ServerUrl {
  if (!value.startsWith('@')) {
    if (holdsPassword(parsedUrl(name, value))) {
      throw new UsageError(
        `${name} holds a password, which others could read`,
        `${elsewhere} or in a file (--url @file)`,
      );
    }
    return { address: value, named: value };
  }
  const file = resolve(folder, value.slice(1));
  if (!existsSync(file)) throw new UsageError(`${name} ${quoted(value)}: there is no file ${file}`, similarFile(file));
  if (!statSync(file).isFile()) throw new UsageError(`${name} ${quoted(value)}: ${file} is not a file`);
  const address = readFileSync(file, 'utf8').trim();
  parsedUrl(`${name} ${quoted(value)}`, address);
  return { address, named: `@${relative(process.cwd(), file)}` };
}

const elsewhere = `give it in the environment (${urlVariable})`;

/** What cannot be read may hold a password all the same, and is not repeated. */
function parsedUrl(name: string, value: string): URL {
  if (!URL.canParse(value)) throw new UsageError(`${name} is no URL`, 'write postgres://user@host:port/database');
  return new URL(value);
}

export function holdsPassword({ password, searchParams }: URL): boolean {
  return password !== '' || searchParams.has('password');
}

/** Names a file beside the missing one that is spelt alike. */
function similarFile(full: string): string | undefined {
  const folder = dirname(full);
  if (!existsSync(folder)) return `there is no folder ${folder} either`;
  const name = nearest(basename(full), readdirSync(folder));
  return name === undefined ? undefined : `did you mean ${relative(process.cwd(), resolve(folder, name))}?`;
}

export function quoted(value: unknown): string {
  return JSON.stringify(String(value));
}
