/** A point in time by which a guard has to end; everything that waits for a subject waits for it, too. */
export class Deadline {
  readonly milliseconds: number;
  /** Milliseconds that one call of a subject has, where that is less. */
  readonly callWithin: number | undefined;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #passed: Promise<never>;
  #reject!: (error: Error) => void;

  constructor(milliseconds: number, signal: AbortSignal, callWithin?: number) {
    this.milliseconds = milliseconds;
    this.callWithin = callWithin;
    this.#passed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    this.#passed.catch(() => {});
    this.#timer = setTimeout(() => this.#reject(new DeadlinePassed(milliseconds)), milliseconds);
    const interrupt = () => this.#reject(new Interrupted());
    signal.addEventListener('abort', interrupt, { once: true });
    this.end = () => {
      clearTimeout(this.#timer);
      signal.removeEventListener('abort', interrupt);
    };
    if (signal.aborted) interrupt();
  }

  /** Stops the clock. */
  readonly end: () => void;

  /** Milliseconds that are left. */
  get left(): number {
    return Math.max(0, this.milliseconds - (performance.now() - this.#startedAt));
  }

  /** Waits as `race` does for a call of a subject, but no longer than one call has. */
  async call<T>(work: Promise<T>): Promise<T> {
    const within = this.callWithin;
    if (within === undefined) return this.race(work);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new DeadlinePassed(within)), within);
    try {
      return await this.race(Promise.race([work, late.promise]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** The promise's value, or `DeadlinePassed` or `Interrupted`, whichever comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#passed]);
  }
}

export class DeadlinePassed extends Error {
  override name = 'DeadlinePassed';

  constructor(milliseconds: number) {
    super(`the guard did not end within ${milliseconds / 1000} s`);
  }
}

/** The whole run was interrupted. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}
