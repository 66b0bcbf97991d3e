/** Those that were seen to wait for a lock. */
export class Queue {
  readonly #seen = new Set<string>();
  readonly #hopes = new Set<{ sessions: number; come: () => void }>();

  /** Enters a session that waits; once is enough. */
  join(session: string): void {
    this.#seen.add(session);
    for (const hope of this.#hopes) {
      if (hope.sessions > this.#seen.size) continue;
      this.#hopes.delete(hope);
      hope.come();
    }
  }

  /** Resolves when so many have been seen. */
  holds(sessions: number): Promise<void> {
    if (sessions <= this.#seen.size) return Promise.resolve();
    return new Promise((come) => void this.#hopes.add({ sessions, come }));
  }
}
