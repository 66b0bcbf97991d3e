interface Waiting {
  alone: boolean;
  begin(): void;
}

/**
 * Lets so many pieces of work run at once, in the order in which they came. One that has to be alone waits until nothing
 * else runs, and what came after it waits for its end.
 */
export class Turns {
  readonly #most: number;
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #alone = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Does the work when its turn has come. */
  async run<T>(work: () => Promise<T>, { alone = false } = {}): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ alone, begin });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#alone = false;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first && this.#mayBegin(first); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#running += 1;
      this.#alone = first.alone;
      first.begin();
    }
  }

  #mayBegin({ alone }: Waiting): boolean {
    return alone ? this.#running === 0 : !this.#alone && this.#running < this.#most;
  }
}
