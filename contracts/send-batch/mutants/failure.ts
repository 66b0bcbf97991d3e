import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message } from '../port.ts';
import { areOrdinary, optionsOf, ordinaryCopy } from './ordinary.ts';
import {
  answer,
  ask,
  batchMutant,
  errorOf,
  failWhole,
  hasFailed,
  isRowRefused,
  type Reply,
  storeStranger,
} from './spoil.ts';

const persists = 'send-batch/nothing-persists-after-failure';
const partial = 'send-batch/no-partial-visibility';
const reports = 'send-batch/every-outcome-reports-the-failure';
const usable = 'send-batch/backend-usable-after-failure';
const atOnce = 'send-batch/failures-at-once-leave-nothing';
const original = 'send-batch/original-error-survives-rollback';
const unknownDestination = 'send-batch/unknown-destination-fails-whole';
const fires = 'setup/fault-fires';
const chunks = 'setup/chunks-are-crossed';
const transient = 'send-batch/transient-fault-ends-whole';
const concurrent = 'send-batch/concurrent-failure-is-isolated';
const racing = 'send-batch/concurrent-batches-keep-their-own-ids';
const commit = 'send-batch/commit-failure-is-reported';
const oneCommit = 'send-batch/is-one-commit';
/** What a cut, an abort or a crash between two commits brings to light. */
const between = [
  'send-batch/lost-ack-is-all-or-nothing',
  'send-batch/cancelled-is-all-or-nothing',
  'send-batch/abort-takes-effect',
  'send-batch/server-abort-is-reported',
  'send-batch/acknowledged-survives-crash',
];
/** What finds rows of a refused batch that have stayed. */
const ofKeptRows = [atOnce, partial, usable, fires, chunks, transient, oneCommit, concurrent, ...between];

/** Lies about batches that the engine refuses, and about what a reader sees of a batch before its end. */
export const failureMutants: Mutant[] = [
  batchMutant({
    id: 'rollback-keeps-one-row',
    lie: 'Puts the row of the first message back after the engine has refused the batch.',
    target: persists,
    // The row is made beforehand, where a reader may see it for a moment, since a trap that has sprung lets none pass.
    alsoKilledBy: [racing, original, ...ofKeptRows],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || copy.length < 2) return honest(messages, options);
      const before = await tools.hand.snapshot();
      const first = await ask(honest, copy.slice(0, 1), options);
      if (hasFailed(first)) return failWhole(first, copy.length);
      const withFirst = await tools.hand.snapshot();
      await tools.hand.restore(before);
      const reply = await ask(honest, copy, options);
      if (isRowRefused(reply)) {
        await tools.hand.restore(withFirst);
        tools.lied();
      }
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'rollback-leaves-a-stranger',
    lie: 'Leaves a row that belongs to no message when the engine has refused a batch.',
    target: persists,
    alsoKilledBy: [original, atOnce, concurrent],
    spoil(honest, tools) {
      // The row is made before any trap is armed and any reader looks.
      let stranger: unknown;
      tools.atOpen(async () => {
        const before = await tools.hand.snapshot();
        if (!(await storeStranger(honest))) return;
        stranger = await tools.hand.snapshot();
        await tools.hand.restore(before);
      });
      return async (messages, options) => {
        const copy = ordinaryCopy(messages);
        const reply = await ask(honest, copy ?? messages, options);
        if (copy !== undefined && stranger !== undefined && isRowRefused(reply)) {
          await tools.hand.restore(stranger);
          tools.lied();
        }
        return answer(reply);
      };
    },
  }),
  inParts({
    id: 'commit-per-chunk',
    lie: 'Commits a batch in three chunks, each in a transaction of its own.',
    target: persists,
    alsoKilledBy: [unknownDestination, ...ofKeptRows],
    parts: ({ length }) => [
      range(0, Math.ceil(length / 3)),
      range(Math.ceil(length / 3), Math.ceil((2 * length) / 3)),
      range(Math.ceil((2 * length) / 3), length),
    ],
  }),
  inParts({
    id: 'last-chunk-apart',
    lie: 'Commits everything but the last message first, then the last message.',
    target: persists,
    alsoKilledBy: [atOnce, unknownDestination, partial, chunks, transient, oneCommit, concurrent, ...between],
    parts: ({ length }) => [range(0, length - 1), range(length - 1, length)],
  }),
  inParts({
    id: 'group-per-shape-commits',
    lie: 'Commits messages that set different options in transactions of their own.',
    target: persists,
    alsoKilledBy: [partial, oneCommit],
    parts: (messages) => {
      const groups = new Map<string, number[]>();
      messages.forEach((message, slot) => {
        const shape = optionsOf(message).toSorted().join();
        const group = groups.get(shape);
        if (group) group.push(slot);
        else groups.set(shape, [slot]);
      });
      return [...groups.values()];
    },
  }),
  batchMutant({
    id: 'falls-back-to-singles',
    lie: 'Sends the messages of a batch that was refused again, one by one, up to the first that is refused.',
    target: persists,
    alsoKilledBy: [concurrent, atOnce],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, copy ?? messages, options);
      if (copy === undefined || !isRowRefused(reply)) return answer(reply);
      const outcomes: ReportedOutcome[] = [];
      for (const message of copy) {
        const one = await ask(honest, [message], options);
        if (hasFailed(one)) return failWhole(one, copy.length);
        tools.lied();
        outcomes.push(...answer(one));
      }
      return outcomes;
    },
  }),
  batchMutant({
    id: 'flash-one-row',
    lie: 'Commits the first two messages one after the other, and deletes them before it sends the batch.',
    target: partial,
    // What it deletes it deletes by going back to what was there, and so a neighbour's rows as well.
    alsoKilledBy: [racing, original, chunks, oneCommit, concurrent, ...between],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || copy.length < 3) return honest(messages, options);
      const before = await tools.hand.snapshot();
      for (const message of copy.slice(0, 2)) {
        const reply = await ask(honest, [message], options);
        if (!hasFailed(reply)) continue;
        await tools.hand.restore(before);
        return failWhole(reply, copy.length);
      }
      tools.lied();
      await tools.hand.restore(before);
      return honest(copy, options);
    },
  }),
  inParts({
    id: 'two-halves-with-compensation',
    lie: 'Commits a batch in two halves, and deletes the first again when the second fails.',
    target: partial,
    // It, too, goes back to what was there before.
    alsoKilledBy: [original, chunks, oneCommit, concurrent, ...between],
    undone: true,
    parts: ({ length }) => [range(0, Math.ceil(length / 2)), range(Math.ceil(length / 2), length)],
  }),
  afterFailure({
    id: 'failure-reports-fewer',
    lie: 'Reports a failed batch by one outcome fewer than it has messages.',
    target: reports,
    // Of a batch of one nothing is left that says so.
    alsoKilledBy: [commit],
    told: (reply, count) => Array<ReportedOutcome>(count - 1).fill({ failed: errorOf(reply) }),
  }),
  afterFailure({
    id: 'failure-told-the-other-way',
    lie: 'Throws where a failed batch is declared to bring outcomes, and brings outcomes where it is declared to throw.',
    target: reports,
    told(reply, count) {
      if (!('threw' in reply)) throw errorOf(reply);
      return Array<ReportedOutcome>(count).fill({ failed: reply.threw });
    },
  }),
  afterFailure({
    id: 'commit-of-aborted-is-success',
    lie: 'Reports a batch that was rolled back as stored, under ids that it made up.',
    target: reports,
    // The last compares with a batch that was refused.
    alsoKilledBy: [
      atOnce,
      original,
      persists,
      usable,
      fires,
      commit,
      transient,
      concurrent,
      'send-batch/unknown-is-told',
    ],
    told: (_reply, count) => range(0, count).map((slot) => ({ stored: 1_000_000_007 + slot })),
  }),
  batchMutant({
    id: 'poisoned-after-failure',
    lie: 'Fails the batch after one that the engine refused.',
    target: usable,
    spoil(honest, tools) {
      let poison: Reply | undefined;
      return async (messages, options) => {
        if (poison !== undefined) {
          const reply = poison;
          poison = undefined;
          tools.lied();
          return failWhole(reply, messages.length);
        }
        const ordinary = areOrdinary(messages);
        const reply = await ask(honest, messages, options);
        if (ordinary && isRowRefused(reply)) poison = reply;
        return answer(reply);
      };
    },
  }),
  batchMutant({
    id: 'last-reply-first',
    lie: 'Stores the batch after one that the engine refused, but answers it with the reply to the refused one.',
    target: usable,
    alsoKilledBy: [transient, concurrent],
    spoil(honest, tools) {
      let unread: Reply | undefined;
      return async (messages, options) => {
        const late = unread;
        unread = undefined;
        const ordinary = areOrdinary(messages);
        const reply = await ask(honest, messages, options);
        if (late !== undefined) {
          tools.lied();
          return answer(late);
        }
        if (ordinary && isRowRefused(reply)) unread = reply;
        return answer(reply);
      };
    },
  }),
];

type Described = Pick<Mutant, 'id' | 'lie' | 'target'> & Partial<Pick<Mutant, 'alsoKilledBy'>>;

/** A lie that commits a batch in parts, given by the slots of each; the outcomes are in the caller's order. */
function inParts(
  m: Described & {
    parts(messages: readonly Message[]): number[][];
    /** The parts before one that fails are deleted again. */
    undone?: boolean;
  },
): Mutant {
  const { parts, undone = false, ...described } = m;
  return batchMutant({
    ...described,
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const groups = copy ? parts(copy).filter((slots) => slots.length > 0) : [];
      if (copy === undefined || groups.length < 2) return honest(messages, options);
      const before = undone ? await tools.hand.snapshot() : undefined;
      const outcomes: ReportedOutcome[] = [];
      for (const [index, slots] of groups.entries()) {
        const reply = await ask(
          honest,
          slots.map((slot) => copy[slot]!),
          options,
        );
        if (hasFailed(reply)) {
          if (undone) await tools.hand.restore(before);
          return failWhole(reply, copy.length);
        }
        answer(reply).forEach((outcome, i) => {
          outcomes[slots[i]!] = outcome;
        });
        if (index === 0) tools.lied();
      }
      return outcomes;
    },
  });
}

/** A lie about how a batch failed that the engine refused. */
function afterFailure(m: Described & { told(reply: Reply, count: number): readonly ReportedOutcome[] }): Mutant {
  const { told, ...described } = m;
  return batchMutant({
    ...described,
    spoil: (honest, tools) => async (messages, options) => {
      const ordinary = areOrdinary(messages);
      const reply = await ask(honest, messages, options);
      if (!ordinary || messages.length === 0 || !isRowRefused(reply)) return answer(reply);
      tools.lied();
      return told(reply, messages.length);
    },
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
