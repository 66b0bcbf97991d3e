import type { ReportedOutcome } from '../../kernel/outcome.ts';
import { type Batching, passedThrough } from '../../writing/mutants/batching.ts';
import { isPlainData } from '../../writing/mutants/plain-data.ts';
import { type BatchOptions, isFailure, type WriteBatch } from '../../writing/mutants/replies.ts';
import type {
  MaterializeWindowPort,
  Slot,
  SlotLoss,
  SlotOutcome,
  Standing,
  Window,
  WindowOptions,
  WindowResult,
} from '../port.ts';
import { childOptions } from '../slots.ts';

const racers = 'racers-create-each-slot-once';
const waiting = 'cancel-while-waiting-wins';

/** A window as lies about batches see it: its slots are the items, and the rest of it goes with the options. */
export const windowBatching: Batching<Slot, MaterializeWindowPort> = {
  contract: 'materialize-window',
  item: 'slot',
  items: 'slots',
  needs: ['bulk'],
  alsoFoundBy: {
    // It goes back to a time when the schedule was not there.
    'rollback-leaves-a-stranger': ['cursor-never-passes-an-unwritten-slot', 'backend-usable-after-failure'],
    // Where calls race, another one comes between two writes of a window, and what is put back is no longer true.
    'rollback-keeps-one-row': [racers],
    'commit-per-chunk': [racers],
    'last-chunk-apart': [racers],
    'window-in-two-commits': [racers],
    'flash-one-row': [racers, waiting],
    'two-halves-with-compensation': [racers, waiting],
    'loop-of-singles': [racers, waiting, 'outcome-per-slot-in-order'],
  },
  spoiled(subject, spoil) {
    const { materializeWindow, ...others } = passedThrough(subject);
    if (!materializeWindow) return others;
    const spoiled = spoil(asBatch(materializeWindow));
    return {
      ...others,
      async materializeWindow({ slots, ...rest }, options) {
        const call: Underway = { rest, first: slots[0]?.at, standing: undefined };
        const outcomes = await spoiled(slots, { ...options, [underway]: call } as BatchOptions);
        return asResult(outcomes, call.standing ?? { cursor: slots.at(-1)?.next ?? null, runs: slots.length });
      },
    };
  },
  isLeftToOthers: () => false,
  areOrdinary,
  body: ({ child }) => child.body,
  withBody: (slot, body) => ({ ...slot, child: { ...slot.child, body } }),
  optionsOf: ({ child }) => childOptions.filter((option) => child[option] !== undefined),
  storeStranger,
};

/** What a call of a window carries beside its slots. */
interface Underway {
  rest: Omit<Window, 'slots'>;
  /** The instant of its first slot. */
  first: string | undefined;
  /** Where the schedule stood when the last write of this call had ended. */
  standing: Standing | undefined;
}

/** Under this name it goes with the options. */
const underway = Symbol('the rest of the window');

/** The slots that lie in a window of the call, which goes on from where the last one has left the cursor. */
function asBatch(materializeWindow: NonNullable<MaterializeWindowPort['materializeWindow']>): WriteBatch<Slot> {
  return async (slots, carried) => {
    const { [underway]: call, ...options } = carried as WindowOptions & { [underway]: Underway };
    // A window that is written from its first slot on is written anew.
    const cursor = slots[0]?.at === call.first ? undefined : call.standing?.cursor;
    const expected = cursor === undefined ? call.rest : { ...call.rest, expectedCursor: cursor };
    const { outcomes, ...standing } = await materializeWindow({ ...expected, slots }, options);
    call.standing = standing;
    return outcomes.map(asReported);
  };
}

/** Why a slot was not created, where it is not since it is there. */
class SlotLost extends Error {
  override name = 'SlotLost';
  readonly loss: SlotLoss;

  constructor(loss: SlotLoss) {
    super(`the outcome is ${loss}`);
    this.loss = loss;
  }
}

function asReported(outcome: SlotOutcome): ReportedOutcome {
  if (typeof outcome === 'object') return { stored: outcome.created };
  return outcome === 'already-exists' ? { duplicate: null } : { failed: new SlotLost(outcome) };
}

/** What the call returns; a window has no outcome for what has failed, and throws it. */
function asResult(outcomes: readonly ReportedOutcome[], standing: Standing): WindowResult {
  const failed = outcomes.find((outcome) => isFailure(outcome) && !isLoss(outcome));
  if (failed) throw 'failed' in failed ? failed.failed : (failed as { unknown: unknown }).unknown;
  return { outcomes: outcomes.map(asSlotOutcome), ...standing };
}

function isLoss(outcome: ReportedOutcome): outcome is { failed: SlotLost } {
  return 'failed' in outcome && outcome.failed instanceof SlotLost;
}

function asSlotOutcome(outcome: ReportedOutcome): SlotOutcome {
  if ('stored' in outcome) return { created: outcome.stored };
  return isLoss(outcome) ? outcome.failed.loss : 'already-exists';
}

/** Whether the slots ascend, none is the end of its grid, and their children are plain data. */
function areOrdinary(slots: readonly Slot[]): boolean {
  const instants = slots.map(({ at }) => Date.parse(at));
  const bytes = slots.filter(({ child }) => child.body instanceof Uint8Array).length;
  return (
    instants.every((at, i) => !Number.isNaN(at) && (i === 0 || at > instants[i - 1]!)) &&
    slots.every(({ next, child }) => typeof next === 'string' && isPlainData(child)) &&
    (bytes === 0 || bytes === slots.length)
  );
}

let strangers = 0;

/** A schedule of its own, and a child of it. */
async function storeStranger(subject: MaterializeWindowPort): Promise<boolean> {
  const schedule = `stranger-${strangers++}`;
  const at = new Date(Date.UTC(2030, 0, 1, 0, strangers)).toISOString();
  const next = new Date(Date.UTC(2030, 0, 2, 0, strangers)).toISOString();
  await subject.putSchedules([{ id: schedule, status: 'active', version: 1, cursor: at, runs: 0, error: null }]);
  const expected = { schedule, expectedVersion: 1, expectedCursor: at, auditLevel: 'none', now: at };
  for (const body of [null, '', new Uint8Array()]) {
    try {
      const { outcome } = await subject.materialize({ ...expected, slot: { at, next, child: { body } } }, {});
      if (typeof outcome === 'object') return true;
    } catch {
      // The next body may be of the type that is declared.
    }
  }
  return false;
}
