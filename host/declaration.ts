import { isDeepStrictEqual } from 'node:util';
import {
  type Declaration,
  type EngineFacts,
  type Extra,
  extras,
  keyDifferences,
  type Offer,
  offers,
  promises,
  strictDeclaration,
} from '../contracts/kernel/capabilities.ts';
import type { Entry } from './backend.ts';
import { print } from './print.ts';

/** What the backend declares on this engine, with the strict values filled in. Throws a TypeError for a wrong one. */
export async function declarationOf(entry: Entry, facts: EngineFacts): Promise<Declaration> {
  const declared: unknown = await (typeof entry.declare === 'function' ? entry.declare(facts) : (entry.declare ?? {}));
  checkDeclaration(declared, 'declare');
  checkReadable(declared, entry);
  const given = Object.entries(declared).filter(([, value]) => value !== undefined);
  return { ...strictDeclaration, ...Object.fromEntries(given) };
}

/** What is claimed of other tables has to be readable: else nothing that depends on it could be judged. */
function checkReadable({ extras = [] }: Partial<Declaration>, entry: Entry): void {
  const given = entry as unknown as Record<string, unknown>;
  const readBy: [extra: Extra, statement: string][] = [
    ['audit', 'audits'],
    ['statusTable', 'statuses'],
  ];
  for (const [extra, statement] of readBy) {
    if (!extras.includes(extra) || given.rows === undefined || given[statement] !== undefined) continue;
    throw new TypeError(
      `declare.extras claims '${extra}', yet there is no statement that reads it; give ${statement} beside rows, or leave '${extra}' out`,
    );
  }
}

/** Throws a TypeError that says what is wrong in a declaration and what would be right. */
export function checkDeclaration(declared: unknown, where: string): asserts declared is Partial<Declaration> {
  if (!isPlain(declared)) throw new TypeError(`${where} must be a plain object, not ${print(declared)}`);
  for (const [field, value] of Object.entries(declared)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(fields, field) ? fields[field as keyof Declaration] : undefined;
    if (!check)
      throw new TypeError(`${where} has no field ${print(field)}; its fields are ${list(Object.keys(fields))}`);
    check(value, `${where}.${field}`);
  }
  checkOffered(declared, where);
}

/** What a field is about has to be offered: else nothing would ever judge it. */
function checkOffered({ offers = [], ...declared }: Partial<Declaration>, where: string): void {
  const about: [field: keyof Declaration, offer: Offer][] = [
    ['keyPolicy', 'dedupeKey'],
    ['keysEqual', 'dedupeKey'],
    ['destinations', 'destination'],
    ['idForm', 'callerIds'],
    ['badChunkSize', 'chunkSize'],
    ...(declared.body === 'bytes' ? [['body', 'binary'] as [keyof Declaration, Offer]] : []),
    ...(declared.blankIsAbsent ?? []).map((offer) => ['blankIsAbsent', offer] as [keyof Declaration, Offer]),
  ];
  for (const [field, offer] of about) {
    const value = (declared as Partial<Declaration>)[field];
    if (value === undefined || isDeepStrictEqual(value, strictDeclaration[field]) || offers.includes(offer)) continue;
    throw new TypeError(
      `${where}.${field} is ${print(value)}, yet ${offer} is not offered; add '${offer}' to the offers, or leave ${field} out`,
    );
  }
}

type Check = (value: unknown, where: string) => void;

const fields: Record<keyof Declaration, Check> = {
  offers: namesFrom(offers, 'offer'),
  extras: namesFrom(extras, 'extra'),
  givesUp(value, where) {
    if (!isRecord(value)) throw new TypeError(`${where} must be an object of reasons, not ${print(value)}`);
    for (const [promise, reason] of Object.entries(value)) {
      checkName(promise, promises, 'promise', where);
      if (typeof reason !== 'string' || reason.trim() === '') {
        throw new TypeError(
          `${where}.${promise} must be the reason in words, which every run prints; it is ${print(reason)}`,
        );
      }
    }
  },
  chunk(value, where) {
    if (value === 'none') return;
    const sizes = isRecord(value) ? Object.entries(value) : [];
    const [size] = sizes;
    if (sizes.length === 1 && (size![0] === 'rows' || size![0] === 'params') && isCount(size![1])) return;
    throw new TypeError(`${where} must be 'none', { rows: n } or { params: n } with n from 1, not ${print(value)}`);
  },
  onFailure: oneOf('outcomes', 'throws'),
  clock: oneOf('database', 'caller'),
  body: oneOf('json', 'text', 'bytes'),
  namespaces: oneOf('explicit', 'onDemand'),
  timeResolution(value, where) {
    if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return;
    throw new TypeError(`${where} must be a number of milliseconds above 0, not ${print(value)}`);
  },
  limits(value, where) {
    if (!isRecord(value)) throw new TypeError(`${where} must be an object, not ${print(value)}`);
    for (const [limit, count] of Object.entries(value)) {
      checkName(limit, ['maxItems', 'maxBytes'], 'limit', where);
      if (!isCount(count)) throw new TypeError(`${where}.${limit} must be a whole number from 1, not ${print(count)}`);
    }
  },
  keyPolicy: oneOf('refuse', 'skip', 'replace'),
  keysEqual: namesFrom(keyDifferences, 'difference'),
  destinations(value, where) {
    if (value === 'any') return;
    const isName = (name: unknown) => typeof name === 'string' && name !== '';
    if (!Array.isArray(value) || value.length === 0 || !value.every(isName))
      throw new TypeError(`${where} must be 'any' or a list of names that are not empty, not ${print(value)}`);
    checkDistinct(value, where);
  },
  idForm: oneOf('text', 'uuid'),
  badChunkSize: oneOf('refused', 'default'),
  blankIsAbsent: namesFrom(offers, 'offer'),
  disorder: oneOf('folded', 'refused'),
};

function namesFrom(names: readonly string[], kind: string): Check {
  return (value, where) => {
    if (!Array.isArray(value)) throw new TypeError(`${where} must be an array of ${kind}s, not ${print(value)}`);
    for (const name of value) checkName(name, names, kind, where);
    checkDistinct(value, where);
  };
}

function checkDistinct(names: readonly string[], where: string): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new TypeError(`${where} names ${print(twice)} twice; name each once`);
}

function checkName(name: unknown, names: readonly string[], kind: string, where: string): void {
  if (typeof name === 'string' && names.includes(name)) return;
  throw new TypeError(`${where} names an unknown ${kind} ${print(name)}; known are ${list(names)}`);
}

function oneOf(...values: string[]): Check {
  return (value, where) => {
    if (typeof value === 'string' && values.includes(value)) return;
    throw new TypeError(`${where} must be ${values.map((v) => `'${v}'`).join(' or ')}, not ${print(value)}`);
  };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What has a prototype of its own (a promise, a map) keeps its content elsewhere, and would look empty. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function list(names: readonly string[]): string {
  return names.join(', ');
}
