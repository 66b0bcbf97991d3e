/** Characters of one CopyData message; large enough to be worth a packet, small enough to wait in between. */
const pieceLength = 64 * 1024;

/** Rows in COPY's text format, in pieces: columns end with a tab, rows with a newline, and `\N` stands for null. */
export function* copyText(rows: Iterable<readonly (string | number | null)[]>): Generator<string> {
  let piece = '';
  for (const row of rows) {
    piece += `${row.map(field).join('\t')}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function field(value: string | number | null): string {
  if (value === null) return '\\N';
  return typeof value === 'number' ? String(value) : value.replace(/[\\\t\n\r]/g, (character) => escapes[character]!);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
