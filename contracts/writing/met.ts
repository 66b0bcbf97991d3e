import type { Bench } from '../kernel/guard.ts';

/** The different things that a guard has met, such as kinds of fault, to be entered as evidence in words. */
export class Met {
  readonly #seen = new Map<string, Set<string>>();

  note(things: Record<string, string>): void {
    for (const [what, thing] of Object.entries(things)) {
      this.#seen.set(what, (this.#seen.get(what) ?? new Set()).add(thing));
    }
  }

  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  record(bench: Bench): void {
    for (const [what, things] of this.#seen) bench.record(what, [...things].join(', '));
  }
}
