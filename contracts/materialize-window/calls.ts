import type { Bench, CallOptions, Rig } from '../kernel/guard.ts';
import { Violation } from '../kernel/guard.ts';
import type { Settled } from '../kernel/outcome.ts';
import { short } from '../kernel/print.ts';
import type {
  Advance,
  AdvanceOutcome,
  Schedule,
  SingleSlot,
  SlotOutcome,
  SlotResult,
  Window,
  WindowResult,
} from './port.ts';
import { servedSlotBySlot } from './serving.ts';

/** Makes schedules what they are given as. Throws a `Violation` when the backend does not. */
export async function putSchedules(rig: Rig, schedules: readonly Schedule[]): Promise<void> {
  const settled = await rig.subject.call('putSchedules', [schedules]);
  if ('threw' in settled) throw new Violation(`putSchedules failed: ${settled.threw.name}: ${settled.threw.message}`);
}

/**
 * Materializes a window by the bulk member; a backend that gives up `bulk` is served slot by slot, whatever members it
 * has.
 */
export function materializeWindow(
  bench: Bench,
  rig: Rig,
  window: Window,
  options?: CallOptions,
): Promise<Settled<unknown>> {
  if (bench.declaration.givesUp.bulk === undefined) return rig.subject.call('materializeWindow', [window, {}], options);
  return servedBySingles(rig, window, options);
}

/** Materializes a window by the single members, whatever other members there are. */
export function servedBySingles(rig: Rig, window: Window, options?: CallOptions): Promise<Settled<unknown>> {
  return servedSlotBySlot(window, {
    materialize: (single) => materialize(rig, single, options),
    advance: (advance) => rig.subject.call('advance', [advance, {}], options),
  });
}

export function materialize(rig: Rig, single: SingleSlot, options?: CallOptions): Promise<Settled<unknown>> {
  return rig.subject.call('materialize', [single, {}], options);
}

/** What a window came to. Throws a `Violation` when it threw or returned something else. */
export async function windowResult(
  bench: Bench,
  rig: Rig,
  window: Window,
  options?: CallOptions,
): Promise<WindowResult> {
  const value = resolved(await materializeWindow(bench, rig, window, options), 'the window');
  const wrong = whatIsWrong(value);
  if (wrong) throw new Violation(`the window returned ${wrong}`);
  return value as WindowResult;
}

/** What a single slot came to. Throws a `Violation` when it threw or returned something else. */
export async function slotResult(rig: Rig, single: SingleSlot, options?: CallOptions): Promise<SlotResult> {
  const value = resolved(await materialize(rig, single, options), 'the single slot');
  const wrong = whatIsWrongWithSlot(value);
  if (wrong) throw new Violation(`the single slot returned ${wrong}`);
  return value as SlotResult;
}

const advanceOutcomes: readonly unknown[] = [
  'advanced',
  'cursor-moved',
  'version-mismatch',
  'parent-inactive',
] satisfies AdvanceOutcome[];

/** What an advance came to. Throws a `Violation` when it threw or returned something else. */
export async function advanceOutcome(rig: Rig, advance: Advance, options?: CallOptions): Promise<AdvanceOutcome> {
  const value = resolved(await rig.subject.call('advance', [advance, {}], options), 'advance');
  if (!advanceOutcomes.includes(value))
    throw new Violation(`advance returned ${short(value)}, not one of ${advanceOutcomes.join(', ')}`);
  return value as AdvanceOutcome;
}

function resolved(settled: Settled<unknown>, what: string): unknown {
  if ('threw' in settled) throw new Violation(`${what} failed: ${settled.threw.name}: ${settled.threw.message}`);
  return settled.value;
}

/** What keeps a value from being the result of a window, in words. */
export function whatIsWrong(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Array.isArray((value as { outcomes?: unknown }).outcomes))
    return `${short(value)}, not { outcomes, cursor, runs }`;
  const { outcomes } = value as { outcomes: unknown[] };
  const bad = outcomes.findIndex((outcome) => !isSlotOutcome(outcome));
  if (bad >= 0) return `for slot ${bad} ${saidInstead(outcomes[bad])}`;
  return whatIsWrongWithStanding(value);
}

function whatIsWrongWithSlot(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('outcome' in value))
    return `${short(value)}, not { outcome, cursor, runs }`;
  if (!isSlotOutcome(value.outcome)) return saidInstead(value.outcome);
  return whatIsWrongWithStanding(value);
}

function whatIsWrongWithStanding(value: object): string | undefined {
  const { cursor, runs } = value as Partial<WindowResult>;
  if (cursor !== null && typeof cursor !== 'string') return `the cursor ${short(cursor)}, not ISO text or null`;
  if (runs !== null && typeof runs !== 'number') return `the run count ${short(runs)}, not a number or null`;
  return undefined;
}

function isSlotOutcome(value: unknown): value is SlotOutcome {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'created' in value);
}

function saidInstead(outcome: unknown): string {
  const said = (outcome as { malformed?: string } | null)?.malformed ?? short(outcome);
  return `${said}, not { created: id }, 'already-exists', 'cursor-moved', 'version-mismatch' or 'parent-inactive'`;
}
