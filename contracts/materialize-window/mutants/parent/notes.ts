import type { Schedule, Slot, Window, WindowResult } from '../../port.ts';

/** What a subject has been told and has told: the schedules as they were put, and the slots that have a child. */
export class Notes {
  readonly #schedules = new Map<string, Schedule>();
  /** For each instant the schedules under which it has a child. */
  readonly #taken = new Map<number, Set<string>>();

  put(schedules: readonly Schedule[]): void {
    for (const schedule of schedules) this.#schedules.set(schedule.id, schedule);
  }

  told({ schedule, slots }: Window, { outcomes }: WindowResult): void {
    for (const [i, { at }] of slots.entries()) {
      const outcome = outcomes[i];
      if (typeof outcome !== 'object' && outcome !== 'already-exists') continue;
      const holders = this.#taken.get(Date.parse(at)) ?? new Set();
      this.#taken.set(Date.parse(at), holders.add(schedule));
    }
  }

  /** The schedule as it was put last, whatever calls have made of it since. */
  schedule(id: string): Schedule | undefined {
    return this.#schedules.get(id);
  }

  /** The schedule that was put before all others. */
  first(): Schedule | undefined {
    return this.#schedules.values().next().value;
  }

  /** Whether the slot has a child under this schedule. */
  isTaken(schedule: string, { at }: Slot): boolean {
    return this.#taken.get(Date.parse(at))?.has(schedule) ?? false;
  }

  /** Whether it has one under another schedule, and none under this. */
  isTakenElsewhere(schedule: string, { at }: Slot): boolean {
    const holders = this.#taken.get(Date.parse(at));
    return holders !== undefined && !holders.has(schedule);
  }
}
