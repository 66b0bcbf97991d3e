import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Mutant } from '../../kernel/mutant.ts';
import type { ReportedOutcome } from '../../kernel/outcome.ts';
import {
  answer,
  ask,
  errorsOf,
  hasFailed,
  isRefused,
  isRowRefused,
  type Reply,
} from '../../writing/mutants/replies.ts';
import { ordinaryCopy } from './ordinary.ts';
import { batchMutant } from './spoil.ts';

/** Lies about what went wrong. */
export const errorMutants: Mutant[] = [
  batchMutant({
    id: 'rollback-error-masks',
    lie: 'Reports the error of a rollback that failed, without the one for which it rolled back.',
    target: 'send-batch/original-error-survives-rollback',
    site(site) {
      watchConnections();
      return site;
    },
    spoil: (honest, tools) => async (messages, options) => {
      const before = connections.broken;
      const reply = await ask(honest, messages, options);
      if (!isRowRefused(reply)) return answer(reply);
      // A socket tells of its end in the next turn of the loop, or the one after.
      for (let turn = 0; turn < 2; turn++) await nextTurn();
      const told = errorsOf(reply).find(({ message }) => /rollback failed/i.test(message));
      if (told === undefined && connections.broken === before) return answer(reply);
      tools.lied();
      const second = told?.message.replace(/^.*rollback failed:? */is, '') ?? 'the connection was broken off';
      return failAs(reply, new Error(second));
    },
  }),
  reclassifying({
    id: 'all-errors-permanent',
    lie: 'Calls every error of a batch permanent.',
    retryable: false,
    only: 'the backend calls an error of the engine worth another try',
  }),
  reclassifying({
    id: 'all-errors-retryable',
    lie: 'Calls every error of a batch worth another try.',
    retryable: true,
  }),
  batchMutant({
    id: 'id-collision-skipped',
    lie: 'Leaves out the first message when another row has the identity that the engine would give, and reports it as stored.',
    target: 'send-batch/foreign-conflict-is-an-error',
    spoil: (honest, tools) => async (messages, options) => {
      const copy = ordinaryCopy(messages);
      const reply = await ask(honest, copy ?? messages, options);
      if (copy === undefined || copy.length < 2 || !isTakenIdentity(reply)) return answer(reply);
      const others = await ask(honest, copy.slice(1), options);
      if (hasFailed(others)) return answer(reply);
      tools.lied();
      return [{ stored: null }, ...answer(others)];
    },
  }),
];

/** A lie about whether what went wrong is worth another try. */
function reclassifying({
  retryable,
  ...described
}: Pick<Mutant, 'id' | 'lie'> & Partial<Pick<Mutant, 'only'>> & { retryable: boolean }): Mutant {
  return batchMutant({
    ...described,
    target: 'send-batch/error-keeps-its-class',
    spoil: (honest, tools) => async (messages, options) => {
      const reply = await ask(honest, messages, options);
      // What became of a lost answer, and whether a deadlock is worth another try, is for other guards.
      if (!hasFailed(reply) || isRefused(reply, /deadlock/i)) return answer(reply);
      const errors = errorsOf(reply) as (Error & { retryable?: unknown; unknown?: unknown })[];
      const said = errors.find((error) => error.retryable !== undefined)?.retryable;
      if (errors.length === 0 || said === retryable || errors.some(({ unknown }) => unknown === true)) {
        return answer(reply);
      }
      tools.lied();
      const [first] = errors;
      return failAs(reply, Object.assign(new Error(first!.message, { cause: first }), { retryable }));
    },
  });
}

/** A unique key of the backend's own was violated, not one that a trap brought along. */
function isTakenIdentity(reply: Reply): boolean {
  return isRefused(reply, /duplicate key|unique constraint/i) && !isRefused(reply, /contract_test/);
}

/** Ends a call the way in which it failed, with another error. */
function failAs(reply: Reply, error: Error): readonly ReportedOutcome[] {
  if ('threw' in reply) throw error;
  return reply.value.map((outcome) => ('failed' in outcome ? { failed: error } : outcome));
}

/** Connections of this thread to a server, those that are opened once they are watched. */
const connections = { watched: false, broken: 0 };

/** Drivers make sockets of their own, of which Node tells nobody; so they are met where each of them connects. */
function watchConnections(): void {
  if (connections.watched) return;
  connections.watched = true;
  const sockets = Socket.prototype as { connect(...args: unknown[]): Socket };
  const { connect } = sockets;
  sockets.connect = function (this: Socket, ...args) {
    this.once('close', (hadError: boolean) => {
      if (hadError) connections.broken += 1;
    });
    return connect.apply(this, args);
  };
}
