import type { EngineFacts } from '../../kernel/capabilities.ts';
import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import type { Message } from '../port.ts';
import { ordinaryCopy } from './ordinary.ts';
import {
  answer,
  ask,
  batchMutant,
  errorsOf,
  failWhole,
  hasFailed,
  isRefused,
  isRowRefused,
  type Reply,
  storeStranger,
} from './spoil.ts';

const persists = 'send-batch/nothing-persists-after-failure';
const usable = 'send-batch/backend-usable-after-failure';
const late = 'send-batch/nothing-arrives-late';
const back = 'send-batch/failed-batch-does-not-come-back';
const commit = 'send-batch/commit-failure-is-reported';
const transient = 'send-batch/transient-fault-ends-whole';
const reports = 'send-batch/every-outcome-reports-the-failure';
const concurrent = 'send-batch/concurrent-failure-is-isolated';
const atOnce = 'send-batch/failures-at-once-leave-nothing';
const original = 'send-batch/original-error-survives-rollback';
const fires = 'setup/fault-fires';

/** Milliseconds after which something of a call arrives late: later than anybody looks who does not wait for it. */
const lateness = 150;
/** Milliseconds for which a batch beside the one that was refused is waited for: there may be none. */
const neighbourly = 500;
/** Milliseconds between two looks whether it has come to its end. */
const glance = 25;

/** Lies about what comes after a batch has settled, and about faults that a backend may try to overcome. */
export const aftermathMutants: Mutant[] = [
  batchMutant({
    id: 'late-extra-row',
    lie: 'Stores a row that belongs to no message, some milliseconds after it has reported a batch of more than a hundred as stored.',
    target: late,
    // Whoever looks at all rows again, some milliseconds later, finds it.
    alsoKilledBy: [persists],
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      if (messages.length > 100 && !hasFailed(reply)) {
        tools.later(async () => {
          if (await storeStranger(honest)) tools.lied();
        }, lateness);
      }
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'second-failure-is-forgotten',
    lie: 'Stores a message of a batch that the engine refused, where another message of it was in the batch refused before.',
    target: 'send-batch/failures-at-once-leave-nothing',
    spoil(honest, tools) {
      let before = new Set<string>();
      return async (messages, options) => {
        const copy = ordinaryCopy(messages);
        const reply = await ask(honest, copy ?? messages, options);
        if (copy === undefined || !isRowRefused(reply)) return answer(reply);
        const bodies = copy.map(({ body }) => JSON.stringify(body));
        const fresh = bodies.findIndex((body) => !before.has(body));
        const forgotten = bodies.some((body) => before.has(body)) ? copy[fresh] : undefined;
        before = new Set(bodies);
        if (forgotten && !hasFailed(await ask(honest, [forgotten], {}))) tools.lied();
        return answer(reply);
      };
    },
  }),
  batchMutant({
    id: 'straggler-after-failure',
    lie: 'Stores the first message of a batch that the engine refused, some milliseconds after it has reported the failure.',
    target: late,
    alsoKilledBy: [persists, usable, back, transient, fires, concurrent, atOnce],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, messages, options);
      if (copy?.length && isRowRefused(reply)) {
        tools.later(async () => {
          if (!hasFailed(await ask(honest, copy.slice(0, 1), {}))) tools.lied();
        }, lateness);
      }
      return answer(reply);
    },
  }),
  batchMutant({
    id: 'ghosts-with-the-next-batch',
    lie: 'Stores the messages of a batch that the engine refused together with those of the next batch.',
    target: back,
    alsoKilledBy: [transient, commit, concurrent, 'send-batch/unknown-destination-fails-whole'],
    spoil(honest, tools) {
      let ghosts: Message[] = [];
      return async (messages, options) => {
        const copy = ordinaryCopy(messages);
        const [kept, reply] = [ghosts, await ask(honest, [...ghosts, ...messages], options)];
        ghosts = [];
        if (hasFailed(reply)) {
          if (copy !== undefined && isRowRefused(reply)) ghosts = copy;
          return failWhole(reply, messages.length);
        }
        if (kept.length > 0) tools.lied();
        return answer(reply).slice(kept.length);
      };
    },
  }),
  batchMutant({
    id: 'commit-error-swallowed',
    lie: 'Reports a batch whose commit the engine refused as stored, under ids that it made up.',
    target: commit,
    // Where the engine words both alike, a refused row is taken for a refused commit.
    alsoKilledBy: [persists, usable, back, reports, transient, fires, concurrent, atOnce, original],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, messages, options);
      if (copy === undefined || !hasFailed(reply) || !isRefused(reply, refusedCommit)) return answer(reply);
      tools.lied();
      return madeUp(copy.length);
    },
  }),
  batchMutant({
    id: 'time-out-is-success',
    lie: 'Reports a batch that the engine ended by a time-out as stored, under ids that it made up.',
    target: 'send-batch/server-abort-is-reported',
    alsoKilledBy: [usable],
    cannot: (_, { lacks }: EngineFacts) => lacks.abort,
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, messages, options);
      if (copy === undefined || !hasFailed(reply) || !codesOf(reply).some((code) => timeOuts.has(code))) {
        return answer(reply);
      }
      tools.lied();
      return madeUp(copy.length);
    },
  }),
  triedAgain({
    id: 'retry-drops-the-failed-row',
    lie: 'Sends a batch that the engine refused again without its last message, and reports all of it as stored.',
    again: (messages) => messages.slice(0, -1),
    told: (outcomes) => [...outcomes, { stored: 1_000_000_007 }],
  }),
  triedAgain({
    id: 'retry-repeats-the-first-chunk',
    lie: 'Sends a batch that the engine refused again with its first messages twice.',
    again: (messages) => [...messages.slice(0, Math.ceil(messages.length / 3)), ...messages],
    told: (outcomes, count) => outcomes.slice(-count),
  }),
  batchMutant({
    id: 'joins-the-neighbours-transaction',
    lie: 'Undoes, when its batch is refused, also what others have stored since it began.',
    target: concurrent,
    alsoKilledBy: [transient, commit],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      if (copy === undefined || copy.length < 2) return honest(messages, options);
      const before = await tools.hand.snapshot();
      const reply = await ask(honest, copy, options);
      if (!hasFailed(reply) || !isRowRefused(reply)) return answer(reply);
      let now = before;
      for (let waited = 0; waited < neighbourly && isSame(before, now); waited += glance) {
        await new Promise((resolve) => tools.later(() => resolve(undefined), glance));
        now = await tools.hand.snapshot();
      }
      if (!isSame(before, now)) {
        await tools.hand.restore(before);
        tools.lied();
      }
      return answer(reply);
    },
  }),
];

/** The words of an engine that refuses a commit. */
const refusedCommit = /^commit refused|FOREIGN KEY constraint failed|^refused by the store/;

/** SQLSTATEs of a statement, and of a wait for a lock, that took too long. */
const timeOuts = new Set(['57014', '55P03']);

/** A lie about a batch of which the engine refused a row: it is tried again, but not as it was. */
function triedAgain(m: {
  id: string;
  lie: string;
  again(messages: readonly Message[]): readonly Message[];
  told(outcomes: readonly ReportedOutcome[], count: number): readonly ReportedOutcome[];
}): Mutant {
  const { id, lie, again, told } = m;
  return batchMutant({
    id,
    lie,
    target: transient,
    // Faults that are raised once, whatever for, tempt it.
    alsoKilledBy: [usable, commit, back, concurrent, atOnce],
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, messages, options);
      if (copy === undefined || copy.length < 2 || !hasFailed(reply) || !isRowRefused(reply)) {
        return answer(reply);
      }
      const second = await ask(honest, again(copy), options);
      if (hasFailed(second)) return answer(reply);
      tools.lied();
      return told(answer(second), copy.length);
    },
  });
}

function madeUp(count: number): ReportedOutcome[] {
  return Array.from({ length: count }, (_, slot) => ({ stored: 1_000_000_007 + slot }));
}

function codesOf(reply: Reply): string[] {
  return errorsOf(reply).flatMap((error) => ('code' in error ? [String(error.code)] : []));
}

function isSame(a: unknown, b: unknown): boolean {
  const exact = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value);
  return JSON.stringify(a, exact) === JSON.stringify(b, exact);
}
