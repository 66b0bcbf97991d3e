/** Picks from a sequence of unknown length: everything at first, then ever sparser. */
export class Spread {
  readonly #dense: number;
  readonly #growth: number;
  readonly #most: number;
  #seen = 0;
  #next = 1;
  #taken = 0;

  /** Takes the first `dense`, then each that comes `growth` times as late as the one before, and at most `most`. */
  constructor(dense: number, growth: number, most = Number.POSITIVE_INFINITY) {
    this.#dense = dense;
    this.#growth = growth;
    this.#most = most;
  }

  /** Whether to take the next one. */
  take(): boolean {
    this.#seen += 1;
    if (this.#seen < this.#next || this.#taken >= this.#most) return false;
    this.#taken += 1;
    this.#next = this.#seen < this.#dense ? this.#seen + 1 : Math.ceil((this.#seen + 1) * this.#growth);
    return true;
  }
}

/** Which rows of one statement are looked at: about forty of a hundred thousand. */
export function spreadOverRows(): Spread {
  return new Spread(4, 1.3, 40);
}
