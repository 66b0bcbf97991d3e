/** Those that were seen to wait for a lock. */
export class Queue {
  readonly #seen = new Set<string>();
  readonly #hopes = new Set<{ sessions: number; come: () => void }>();
  #closed = false;

  /** Enters a session that waits; once is enough. */
  join(session: string): void {
    this.#seen.add(session);
    for (const hope of this.#hopes) {
      if (hope.sessions > this.#seen.size) continue;
      this.#hopes.delete(hope);
      hope.come();
    }
  }

  /** Nobody else can come; who hopes for more has hoped long enough. */
  close(): void {
    this.#closed = true;
    for (const { come } of this.#hopes) come();
    this.#hopes.clear();
  }

  /** Resolves when so many have been seen, or when nobody else can come. */
  holds(sessions: number): Promise<void> {
    if (this.#closed || sessions <= this.#seen.size) return Promise.resolve();
    return new Promise((come) => void this.#hopes.add({ sessions, come }));
  }
}
