import type { Interfered, SeenStatement, Watched } from '../../contracts/kernel/engine.ts';
import type { Counts, Traffic } from './recording.ts';
import type { WireStatement } from './statement.ts';

/** A statement with all that the wire shows, or with the little that a driver tells. */
type Printed = SeenStatement & Partial<WireStatement>;

/** A recording as text: a head, then a line for each statement, see `printLines`. */
export function printTraffic(traffic: Traffic): string {
  const { statements, interference, own, startedMs } = traffic;
  const lines = [`${plural(statements.length, 'statement')}, ${printCounts(traffic)}`];
  if (statements.some((s) => !s.own)) lines.push(`of these the call's own: ${printCounts(own)}`);
  return [...lines, ...printLines(statements, interference, startedMs)].join('\n');
}

/** What was watched on a lease, as lines: a head, then a line for each statement, see `printLines`. */
export function printWatched({ statements, interference = [], roundTrips }: Watched): string[] {
  const head = plural(statements.length, 'statement');
  const startedMs = Math.min(...statements.map((s) => s.startedMs), ...interference.map(({ atMs }) => atMs));
  return [
    roundTrips === undefined ? head : `${head}, ${plural(roundTrips, 'round trip')}`,
    ...printLines(statements, interference, startedMs),
  ];
}

interface Line {
  atMs: number;
  connection: string;
  bracket: string;
  rest: string;
}

/**
 * A line for each statement in the order in which they began, and for everything that was done to a connection.
 *
 * A line has the connection, a bracket around the statements of one transaction, the milliseconds since `startedMs`,
 * the kind, the text with its parameters, and what came of it. What was done has a `!` in the place of the bracket.
 */
function printLines(unordered: readonly Printed[], interference: readonly Interfered[], startedMs: number): string[] {
  const statements = unordered.toSorted((a, b) => a.startedMs - b.startedMs);
  const drawn = brackets(statements);
  const lines = [
    ...statements.map(
      (s, n): Line => ({
        atMs: s.startedMs,
        connection: `#${s.connection}`,
        bracket: drawn[n]!,
        rest: lineOf(s),
      }),
    ),
    ...interference.map(
      ({ atMs, connection, text }): Line => ({
        atMs,
        connection: connection === undefined ? 'all' : `#${connection}`,
        bracket: '!',
        rest: text,
      }),
    ),
  ].sort((a, b) => a.atMs - b.atMs);
  const times = lines.map(({ atMs }) => `+${(atMs - startedMs).toFixed(2)}`);
  const [connection, time] = [widest(lines.map((line) => line.connection)), widest(times)];
  return lines.map((line, n) =>
    [line.connection.padEnd(connection), line.bracket, times[n]!.padStart(time), line.rest].join(' '),
  );
}

function lineOf(s: Printed): string {
  return [
    s.kind.padEnd('rollback'.length),
    [s.text, ...(s.parameters ? [`[${s.parameters.join(', ')}]`] : [])].join(' '),
    `-> ${[...results(s)].join(', ')}`,
  ].join(' ');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function printCounts({ roundTrips, transactions, bytesUp, bytesDown }: Counts): string {
  const counts = [plural(roundTrips, 'round trip'), plural(transactions, 'transaction')];
  return `${counts.join(', ')}, ${bytesUp} bytes up, ${bytesDown} down`;
}

/** Where each statement stands in its transaction. Statements of other connections can lie between. */
function brackets(statements: readonly Printed[]): string[] {
  const indexes = new Map<string, number[]>();
  const transactions = statements.map(transactionsByKind());
  for (const [n, { connection, transaction }] of statements.entries()) {
    const key = `${connection}/${transaction ?? transactions[n]}`;
    const all = indexes.get(key);
    if (all) all.push(n);
    else indexes.set(key, [n]);
  }
  const drawn = statements.map(() => ' ');
  for (const all of indexes.values()) {
    if (all.length === 1) continue;
    for (const n of all) drawn[n] = '│';
    drawn[all[0]!] = '┌';
    drawn[all.at(-1)!] = '└';
  }
  return drawn;
}

/** Numbers the transactions of every connection by what begins and ends them, as far as that can be seen. */
function transactionsByKind(): (statement: Printed) => number {
  const open = new Map<number, number>();
  let last = 0;
  return ({ connection, kind, failed }) => {
    const inside = open.get(connection);
    const transaction = inside ?? ++last;
    if (kind === 'begin' && failed === undefined) open.set(connection, transaction);
    // A commit that fails may leave the transaction open.
    else if (kind === 'rollback' || (kind === 'commit' && failed === undefined)) open.delete(connection);
    return transaction;
  };
}

function* results(s: Printed): Generator<string> {
  if (s.failed !== undefined) yield `failed: ${s.sqlstate ? `${s.sqlstate} ` : ''}${s.failed}`;
  if (s.rows !== undefined) yield plural(s.rows, 'row');
  if (s.returned !== undefined) yield `${s.returned} returned`;
  if (s.copied !== undefined) yield `${s.copied} bytes copied`;
  yield `${(s.endedMs - s.startedMs).toFixed(2)} ms`;
  if (s.cancelled) yield 'cancel requested';
  if (s.own === false) yield 'background';
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
