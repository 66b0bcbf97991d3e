import type { Counts, Traffic } from './recording.ts';
import type { WireStatement } from './statement.ts';

/**
 * A recording as text: a head, then a line for each statement in the order in which they began.
 *
 * A line has the connection, a bracket around the statements of one transaction, the milliseconds since the recording
 * began, the kind, the text with its parameters, and what came of it.
 */
export function printTraffic(traffic: Traffic): string {
  const statements = traffic.statements.toSorted((a, b) => a.startedMs - b.startedMs);
  const lines = [`${plural(statements.length, 'statement')}, ${printCounts(traffic)}`];
  if (statements.some(({ own }) => !own)) lines.push(`of these the call's own: ${printCounts(traffic.own)}`);
  const connection = Math.max(0, ...statements.map((s) => String(s.connection).length));
  const time = Math.max(0, ...statements.map((s) => since(s, traffic).length));
  const drawn = brackets(statements);
  for (const [n, s] of statements.entries()) {
    const parts = [
      `#${s.connection}`.padEnd(connection + 1),
      drawn[n],
      since(s, traffic).padStart(time),
      s.kind.padEnd('rollback'.length),
      [s.text, ...(s.parameters ? [`[${s.parameters.join(', ')}]`] : [])].join(' '),
      `-> ${[...results(s)].join(', ')}`,
    ];
    lines.push(parts.join(' '));
  }
  return lines.join('\n');
}

function printCounts({ roundTrips, transactions, bytesUp, bytesDown }: Counts): string {
  const counts = [plural(roundTrips, 'round trip'), plural(transactions, 'transaction')];
  return `${counts.join(', ')}, ${bytesUp} bytes up, ${bytesDown} down`;
}

function since(statement: WireStatement, { startedMs }: Traffic): string {
  return `+${(statement.startedMs - startedMs).toFixed(2)}`;
}

/** Where each statement stands in its transaction. Statements of other connections can lie between. */
function brackets(statements: readonly WireStatement[]): string[] {
  const indexes = new Map<string, number[]>();
  for (const [n, { connection, transaction }] of statements.entries()) {
    const key = `${connection}/${transaction}`;
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

function* results(s: WireStatement): Generator<string> {
  if (s.failed !== undefined) yield `failed: ${s.sqlstate ? `${s.sqlstate} ` : ''}${s.failed}`;
  if (s.rows !== undefined) yield plural(s.rows, 'row');
  if (s.returned !== undefined) yield `${s.returned} returned`;
  if (s.copied !== undefined) yield `${s.copied} bytes copied`;
  yield `${(s.endedMs - s.startedMs).toFixed(2)} ms`;
  if (s.cancelled) yield 'cancel requested';
  if (!s.own) yield 'background';
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
