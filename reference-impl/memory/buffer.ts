/** Takes items now and stores them later, many at once. */
export class Buffer<Item, Outcome> {
  readonly #store: (items: readonly Item[]) => Promise<Outcome[]>;
  #accepted: Item[] = [];
  #flushing: Promise<void> | undefined;

  constructor(store: (items: readonly Item[]) => Promise<Outcome[]>) {
    this.#store = store;
  }

  accept(items: readonly Item[]): void {
    this.#accepted = this.#accepted.concat(items);
  }

  /**
   * Stores everything that was accepted before, by one flush after the other. What is accepted meanwhile waits for the
   * next one; so does, in front of it, what could not be stored.
   */
  async flush(): Promise<Outcome[]> {
    while (this.#flushing) await this.#flushing;
    const items = this.#accepted;
    if (items.length === 0) return [];
    this.#accepted = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#flushing = promise;
    try {
      return await this.#store(items);
    } catch (error) {
      this.#accepted = items.concat(this.#accepted);
      throw error;
    } finally {
      this.#flushing = undefined;
      resolve();
    }
  }
}
