import type { Bench, Rig } from '../kernel/guard.ts';

/**
 * One subject for case after case, as long as they go well: to open one takes longer than most cases.
 *
 * A case that finds a violation, or says that the subject is not what it was, leaves the next one a fresh subject on a
 * fresh lease.
 */
export class Standing {
  readonly #bench: Bench;
  #rig: Rig | undefined;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** The subject that the next case gets. */
  async rig(): Promise<Rig> {
    this.#rig ??= await this.#bench.open();
    return this.#rig;
  }

  /** Runs a case on the subject; where the body returns false, the next case gets another. */
  async case(name: string, body: (rig: Rig) => Promise<boolean>): Promise<void> {
    // Opened outside of the case, so that it is not closed with it.
    const rig = await this.rig();
    await this.#bench.case(name, async () => {
      this.#rig = undefined;
      if (await body(rig)) this.#rig = rig;
    });
  }
}
