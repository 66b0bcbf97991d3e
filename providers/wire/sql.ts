import type { SeenStatement } from '../../contracts/kernel/engine.ts';

type Kind = SeenStatement['kind'];

/** One line, and not longer than a report wants it. */
export function shorten(sql: string, length = 200): string {
  // White space is evened out in the part that is shown only; a text can be long.
  const line = sql
    .slice(0, 4 * length)
    .trim()
    .replace(/\s+/g, ' ');
  return line.length <= length && sql.length <= 4 * length ? line : `${line.slice(0, length - 1)}…`;
}

/** White space, comments, texts, quoted names, words, and single characters, as PostgreSQL's scanner has them. */
const token =
  /\s+|--[^\n]*|\/\*|[eE]'[^'\\]*(?:(?:''|\\[\s\S])[^'\\]*)*'?|'[^']*(?:''[^']*)*'?|"[^"]*(?:""[^"]*)*"?|\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$|[\p{L}_][\p{L}\p{N}_$]*|[\s\S]/uy;
const blank = /^(?:\s|--|\/\*)/;

/** The parts of a text, one by one: comments nest, and dollar-quoted texts end with their own tag. */
function* tokens(sql: string): Generator<string> {
  let at = 0;
  while (at < sql.length) {
    token.lastIndex = at;
    let part = token.exec(sql)?.[0] ?? sql.slice(at);
    if (part === '/*') part = sql.slice(at, endOfComment(sql, at));
    else if (part.length > 1 && part.startsWith('$')) {
      const end = sql.indexOf(part, at + part.length);
      part = sql.slice(at, end === -1 ? sql.length : end + part.length);
    }
    yield part;
    at += part.length;
  }
}

function endOfComment(sql: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let found = mark.exec(sql); found; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** Cuts the text of a simple query into its statements, as the server will; parts without any words are none. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let text = '';
  let words: string[] = [];
  let parentheses = 0;
  let blocks = 0;
  for (const part of tokens(sql)) {
    if (part === ';' && parentheses === 0 && blocks === 0) {
      if (words.length > 0) statements.push(text);
      text = '';
      words = [];
      continue;
    }
    text += part;
    if (blank.test(part)) continue;
    const word = part.toUpperCase();
    if (part === '(') parentheses += 1;
    else if (part === ')') parentheses = Math.max(0, parentheses - 1);
    // The body of a function in standard SQL: BEGIN ATOMIC ...; ...; END.
    else if (createsRoutine(words) && (word === 'BEGIN' || word === 'CASE')) blocks += 1;
    else if (word === 'END') blocks = Math.max(0, blocks - 1);
    if (words.length < 4) words.push(word);
  }
  if (words.length > 0) statements.push(text);
  return statements;
}

function createsRoutine(words: readonly string[]): boolean {
  const rest = words[1] === 'OR' ? words.slice(2) : words;
  return words[0] === 'CREATE' && (rest.includes('FUNCTION') || rest.includes('PROCEDURE'));
}

const kinds: Record<string, Kind> = {
  BEGIN: 'begin',
  START: 'begin',
  COMMIT: 'commit',
  END: 'commit',
  ROLLBACK: 'rollback',
  ABORT: 'rollback',
  INSERT: 'write',
  UPDATE: 'write',
  DELETE: 'write',
  MERGE: 'write',
  SELECT: 'read',
  VALUES: 'read',
  TABLE: 'read',
  FETCH: 'read',
};

/** What a statement does, by its words; of a WITH the first of its parts that writes decides. */
export function kindOf(sql: string): Kind {
  const words = wordsOf(sql);
  let first = words.next().value ?? '';
  while (first === '(') first = words.next().value ?? '';
  if (first === 'WITH') {
    for (const word of words) if (kinds[word] === 'write') return 'write';
    return 'read';
  }
  if (first === 'ROLLBACK' || first === 'COMMIT' || first === 'ABORT') {
    // Back to a savepoint, or an end of a transaction that was prepared before: this one goes on.
    for (const word of words) if (word === 'TO' || word === 'PREPARED') return 'other';
  }
  return kinds[first] ?? 'other';
}

/** Statements that leave everything that is stored as it is, by their first words. */
const harmless = new Set(
  `BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE SELECT VALUES TABLE WITH FETCH MOVE DECLARE CLOSE EXPLAIN
   SET RESET SHOW DISCARD PREPARE DEALLOCATE LISTEN UNLISTEN NOTIFY LOCK CHECKPOINT COPY`.split(/\s+/),
);

/** What makes one of them write after all: a part that writes, the making of a table, a run that is explained. */
const writing = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'INTO', 'ANALYZE', 'PREPARED']);

/**
 * Whether a statement may change what is stored, by its words; `functions` names those that may, in upper case. What is
 * not known to be harmless may. A view with rules or triggers, or a name of a function in a text, cannot be told.
 */
export function mayWrite(sql: string, functions: ReadonlySet<string>): boolean {
  const words = wordsOf(sql);
  let first = words.next().value ?? '';
  while (first === '(') first = words.next().value ?? '';
  if (first === '') return false;
  if (!harmless.has(first)) return true;
  if (first === 'PREPARE' || first === 'LOCK' || first === 'DECLARE') return false;
  let depth = 0;
  let previous = '';
  for (const word of words) {
    // A lock on rows that are read is none of it.
    const locks = word === 'UPDATE' && (previous === 'FOR' || previous === 'KEY');
    if (!locks && (writing.has(word) || functions.has(nameOf(word)))) return true;
    if (word === '(') depth += 1;
    if (word === ')') depth -= 1;
    if (first === 'COPY' && word === 'FROM' && depth === 0) return true;
    previous = word;
  }
  return false;
}

/** Whether a statement takes COPY data from the client. */
export function copiesIn(sql: string): boolean {
  let previous = '';
  for (const word of wordsOf(sql)) {
    // Other texts can be long.
    if (previous === '' && word !== 'COPY') return false;
    if (previous === 'FROM' && word === 'STDIN') return true;
    previous = word;
  }
  return false;
}

/** A name without its quotes. */
function nameOf(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll('""', '"') : word;
}

function* wordsOf(sql: string): Generator<string, undefined> {
  for (const part of tokens(sql)) if (!blank.test(part)) yield part.toUpperCase();
}

/** What a statement did, by the tag that the server gave it; `byText` is the kind that its text has. */
export function readTag(tag: string, byText: Kind): { kind: Kind; rows?: number; returned?: number } {
  const words = tag.split(' ');
  const count = Number(words.at(-1));
  switch (words[0]) {
    case 'INSERT':
    case 'UPDATE':
    case 'DELETE':
    case 'MERGE':
      return { kind: 'write', rows: count };
    case 'COPY':
      return byText === 'write' ? { kind: byText, rows: count } : { kind: byText, returned: count };
    case 'SELECT':
    case 'FETCH':
      // CREATE TABLE AS answers so too, and sends no rows.
      return byText === 'other' ? { kind: byText } : { kind: byText, returned: count };
    case 'BEGIN':
    case 'START':
      return { kind: 'begin' };
    case 'ROLLBACK':
      // ROLLBACK TO has the same tag; a COMMIT that is answered so has not committed.
      return { kind: byText === 'commit' ? 'rollback' : byText };
    default:
      return { kind: byText };
  }
}
