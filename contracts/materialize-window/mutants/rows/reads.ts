import type { Bench } from '../../../kernel/guard.ts';
import type { Settled } from '../../../kernel/outcome.ts';
import { except, withRigs } from '../../../kernel/with-rigs.ts';
import { type Call, withCalls } from '../../../setup/mutants/spoil.ts';
import { shownInstant } from '../../instants.ts';
import type { Expected, Slot, SlotOutcome } from '../../port.ts';

/** What a call was told of its slots. */
export interface Told {
  expected: Expected;
  slots: readonly Slot[];
  outcomes: readonly SlotOutcome[];
}

/** A row as the probe shows it. */
export type Row = Record<string, unknown>;

/**
 * A bench whose probe lies: `heard` learns of each call of the subject what it was told, `shown` changes the rows of what
 * is read (`rows`, `schedules`, `audits`).
 */
export function withReads(
  bench: Bench,
  { heard, shown }: { heard(told: Told): void; shown(rows: Row[], what: string): Row[] },
): Bench {
  const reading = withRigs(bench, (rig) =>
    except(rig, {
      async read(what = 'rows') {
        const found = await rig.read(what);
        return 'missing' in found ? found : { rows: shown(structuredClone(found.rows), what) };
      },
    }),
  );
  return withCalls(reading, async (call) => {
    const settled = await call.make();
    const told = toldBy(call, settled);
    if (told) heard(told);
    return settled;
  });
}

/** What a call that writes slots, or advances past one, was told; undefined for another, and for one that failed. */
export function toldBy({ member, args }: Call, settled: Settled<unknown>): Told | undefined {
  if ('threw' in settled) return undefined;
  switch (member) {
    case 'materializeWindow': {
      const { slots, ...expected } = args[0] as Expected & { slots: readonly Slot[] };
      return { expected, slots, outcomes: (settled.value as { outcomes: SlotOutcome[] }).outcomes };
    }
    case 'materialize': {
      const { slot, ...expected } = args[0] as Expected & { slot: Slot };
      return { expected, slots: [slot], outcomes: [(settled.value as { outcome: SlotOutcome }).outcome] };
    }
    case 'advance':
      return { expected: args[0] as Expected, slots: [], outcomes: [] };
    default:
      return undefined;
  }
}

/** A slot of a schedule, however its instant is written. */
export function keyOf(schedule: unknown, at: unknown): string {
  return `${String(schedule)} ${shownInstant(at, 1)}`;
}
