import { randomBytes } from 'node:crypto';
import type { SeenStatement } from '../../contracts/kernel/engine.ts';

/** Prefix of every table, trigger and function that is ours; what bears it is no content of the subject's. */
export const ours = 'contract_test_';

export function newNonce(): string {
  return `${ours}${randomBytes(6).toString('hex')}`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The name that `quoteName` quoted; one that is not quoted is itself. */
export function unquoteName(quoted: string): string {
  return quoted.startsWith('"') ? quoted.slice(1, -1).replaceAll('""', '"') : quoted;
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** One line, and not longer than a report wants it. */
export function shorten(sql: string, length = 200): string {
  const line = sql.trim().replace(/\s+/g, ' ');
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** White space, comments, texts and quoted names, words, and single characters. */
const token =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]]*\]?|[\p{L}\p{N}_$]+|./gsu;
const blank = /^(?:\s|--|\/\*)/;

function wordsOf(sql: string): string[] {
  return (sql.match(token) ?? []).filter((t) => !blank.test(t));
}

/**
 * Cuts a script into its statements, each with its semicolon.
 *
 * Follows sqlite3_complete(): the semicolons inside CREATE TRIGGER end nothing, until one that follows `; END`.
 */
export function splitStatements(script: string): string[] {
  const statements: string[] = [];
  let text = '';
  let words: string[] = [];
  for (const part of script.match(token) ?? []) {
    text += part;
    if (blank.test(part)) continue;
    if (part !== ';') {
      words.push(part.toUpperCase());
      continue;
    }
    if (createsTrigger(words) && !(words.at(-1) === 'END' && words.at(-2) === ';')) {
      words.push(part);
      continue;
    }
    if (words.length > 0) statements.push(text);
    text = '';
    words = [];
  }
  if (words.length > 0) statements.push(text);
  return statements;
}

function createsTrigger(words: readonly string[]): boolean {
  const rest = words[0] === 'EXPLAIN' ? words.slice(words[1] === 'QUERY' ? 3 : 1) : words;
  return rest[0] === 'CREATE' && (rest[1] === 'TRIGGER' || (/^TEMP/.test(rest[1] ?? '') && rest[2] === 'TRIGGER'));
}

const kinds: Record<string, SeenStatement['kind']> = {
  BEGIN: 'begin',
  COMMIT: 'commit',
  END: 'commit',
  ROLLBACK: 'rollback',
  INSERT: 'write',
  REPLACE: 'write',
  UPDATE: 'write',
  DELETE: 'write',
  SELECT: 'read',
  VALUES: 'read',
};

export interface Savepoint {
  verb: 'set' | 'release';
  name: string;
}

/** The savepoint that a statement sets or releases. */
export function savepointOf(sql: string): Savepoint | undefined {
  const [first = '', ...rest] = wordsOf(sql.slice(0, 1000));
  const verb = /^savepoint$/i.test(first) ? 'set' : /^release$/i.test(first) ? 'release' : undefined;
  const name = verb === 'release' && /^savepoint$/i.test(rest[0] ?? '') ? rest[1] : rest[0];
  return verb && { verb, name: unquoteName(name ?? '').toLowerCase() };
}

/** What a statement does, by its first word; savepoints are `other`, since only some of them end a transaction. */
export function kindOf(sql: string): SeenStatement['kind'] {
  const words = wordsOf(sql.length > 100_000 ? sql.slice(0, 100_000) : sql).map((w) => w.toUpperCase());
  const first = words[0] ?? '';
  if (first === 'ROLLBACK' && words.includes('TO')) return 'other';
  if (first === 'WITH') return words.some((w) => kinds[w] === 'write') ? 'write' : 'read';
  return kinds[first] ?? 'other';
}
