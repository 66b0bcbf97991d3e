import type { Guard } from '../contracts/kernel/guard.ts';

/** The known name that a mistyped one is nearest to, if any is near enough. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  return nearestOnes(given, known, 1)[0];
}

/** The known names that are nearest to a mistyped one, the nearest first. */
export function nearestOnes(given: string, known: readonly string[], most: number): string[] {
  const limit = Math.max(2, Math.floor(given.length * 0.4));
  return known
    .map((name) => ({ name, distance: distanceTo(given, name) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** The guards that a wrong name may mean: the nearest, or those that have it in theirs or in what they need. */
export function guardsAlike(given: string, guards: readonly Pick<Guard, 'id' | 'needs'>[], most: number): string[] {
  const near = nearestOnes(
    given,
    guards.map(({ id }) => id),
    most,
  );
  const word = given
    .slice(given.lastIndexOf('/') + 1)
    .replace(/\W+$/, '')
    .toLowerCase();
  if (near.length > 0 || word.length < shortest) return near;
  const named = guards.filter(({ id }) => id.includes(word));
  const needing = guards.filter(({ needs }) => needs.some((need) => need.toLowerCase().startsWith(word)));
  return [...new Set([...named, ...needing].map(({ id }) => id))].slice(0, most);
}

/** Letters of a word that is looked for inside of names. */
const shortest = 3;

/** Compares with the whole name and with its last part, since people leave out what comes before the slash. */
function distanceTo(given: string, name: string): number {
  const last = name.slice(name.lastIndexOf('/') + 1);
  return Math.min(
    editDistance(given, name),
    given.includes('/') ? Number.POSITIVE_INFINITY : editDistance(given, last),
  );
}

/** Letters to insert, delete, replace or swap with a neighbour (optimal string alignment, Damerau 1964). */
export function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...new Array<number>(b.length).fill(0)]);
  rows[0] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = least;
    }
  }
  return rows[a.length]![b.length]!;
}

/** "did you mean x?", or the names that are known. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = nearest(given, known);
  return name === undefined ? `known: ${known.join(', ')}` : `did you mean ${name}?`;
}
