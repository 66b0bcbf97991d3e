import type { Failure } from '../contracts/kernel/outcome.ts';
import { print } from './print.ts';

/** As long as `failureChain` looks. */
const longestChain = 20;
const longestMessage = 64 * 1024;

/**
 * What is left of a thrown value as data. Never throws itself.
 *
 * Causes and the members of an AggregateError become one chain: first the cause, then the members, so that a reader
 * who follows `cause` meets every error.
 */
export function failureOf(thrown: unknown): Failure {
  const chain = flatten(thrown).map(single);
  return chain.reduceRight((cause, failure) => ({ ...failure, cause }));
}

function flatten(thrown: unknown): unknown[] {
  const found: unknown[] = [];
  const visit = (value: unknown) => {
    if (found.length === longestChain || (isObject(value) && found.includes(value))) return;
    found.push(value);
    const cause = get(value, 'cause');
    if (cause !== undefined) visit(cause);
    const errors = get(value, 'errors');
    if (Array.isArray(errors)) errors.forEach(visit);
  };
  visit(thrown);
  return found;
}

function single(thrown: unknown): Failure {
  if (!isObject(thrown)) {
    const text = typeof thrown === 'string' ? thrown : print(thrown);
    return { name: thrown === null ? 'null' : typeof thrown, message: text.slice(0, longestMessage) };
  }
  const message = get(thrown, 'message');
  const failure: Failure = {
    name: nameOf(thrown),
    message: (typeof message === 'string' ? message : print(thrown)).slice(0, longestMessage),
  };
  const code = codeOf(thrown);
  const retryable = get(thrown, 'retryable');
  const position = get(thrown, 'position');
  if (code !== undefined) failure.code = code;
  if (typeof retryable === 'boolean') failure.retryable = retryable;
  if (get(thrown, 'unknown') === true) failure.unknown = true;
  if (typeof position === 'number' && Number.isInteger(position)) failure.position = position;
  return failure;
}

function nameOf(thrown: object): string {
  const name = get(thrown, 'name');
  if (typeof name === 'string' && name !== '') return name;
  const constructorName = get(get(thrown, 'constructor'), 'name');
  return typeof constructorName === 'string' && constructorName !== '' ? constructorName : 'Object';
}

/** `errcode` comes first: node:sqlite calls every error ERR_SQLITE_ERROR and puts SQLite's own code there. */
function codeOf(thrown: object): string | undefined {
  for (const key of ['errcode', 'code']) {
    const code = get(thrown, key);
    if (typeof code === 'string' || typeof code === 'number') return String(code);
  }
  return undefined;
}

/** Reads a property of anything; a getter that throws reads as undefined. */
function get(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined;
  try {
    return (value as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
