/** Prefix of everything in a namespace that is ours; what bears it is no content of the subject's. */
export const ours = 'contract_test_';

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A literal that means the same whatever `standard_conforming_strings` says. */
export function quoteText(text: string): string {
  const quoted = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`;
}

/** A name with its schema. */
export function qualified(schema: string, name: string): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** One line, and not longer than a report wants it. */
export function shorten(sql: string, length = 200): string {
  const line = sql.trim().replace(/\s+/g, ' ');
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
