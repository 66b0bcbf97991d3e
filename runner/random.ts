import { createHash } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';

/** A seed for one purpose, derived from the seed of the run: the same purpose gets the same seed in every run. */
export function deriveSeed(seed: number, ...purpose: (string | number)[]): number {
  return createHash('sha256')
    .update([seed, ...purpose].join('\n'))
    .digest()
    .readInt32BE(0);
}

/** Values drawn one after the other; the n-th draw for a purpose is the same in every run with that seed. */
export class Draws {
  #count = 0;
  readonly #seed: number;
  readonly #purpose: string;

  constructor(seed: number, purpose: string) {
    this.#seed = seed;
    this.#purpose = purpose;
  }

  next<T>(values: Arbitrary<T>): T {
    this.#count += 1;
    return fc.sample(values, { seed: deriveSeed(this.#seed, this.#purpose, this.#count), numRuns: 1 })[0] as T;
  }
}

/** A seed that a person can type. */
export function newSeed(): number {
  return Math.floor(Math.random() * 1_000_000_000);
}
