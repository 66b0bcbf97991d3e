type Undo = () => Promise<void>;

/** What was opened and has to be closed again, in nested parts: each part closes its own when it ends. */
export class Scopes {
  #current: Undo[] = [];

  /** Where things that are opened now belong; to be given to `within`. */
  get current(): readonly Undo[] {
    return this.#current;
  }

  /** Remembers how to close what was just opened. */
  push(undo: Undo): void {
    this.#current.push(undo);
  }

  /** Runs a part, and closes what it opened, whether it ends well or not; its own error comes first. */
  async run<T>(part: () => Promise<T>): Promise<T> {
    const outer = this.#current;
    this.#current = [];
    const failed: unknown[] = [];
    const value = await part().catch((error: unknown) => void failed.push(error));
    const inner = this.#current;
    this.#current = outer;
    await closeAll(inner, failed);
    if (failed.length > 0) throw failed[0];
    return value as T;
  }

  /** Runs work whose openings belong to an outer part. */
  async within<T>(scope: readonly Undo[], work: () => Promise<T>): Promise<T> {
    const inner = this.#current;
    this.#current = scope as Undo[];
    try {
      return await work();
    } finally {
      this.#current = inner;
    }
  }

  /** Closes what is still open, and throws the first error of that. */
  async close(): Promise<void> {
    const failed: unknown[] = [];
    await closeAll(this.#current.splice(0), failed);
    if (failed.length > 0) throw failed[0];
  }
}

/** Closes in the opposite order; all of it is tried. */
async function closeAll(scope: Undo[], failed: unknown[]): Promise<void> {
  for (const undo of scope.reverse()) await undo().catch((error: unknown) => void failed.push(error));
}
