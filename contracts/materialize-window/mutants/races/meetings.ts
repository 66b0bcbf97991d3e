import type { Bench } from '../../../kernel/guard.ts';
import type { Settled } from '../../../kernel/outcome.ts';
import { except } from '../../../kernel/with-rigs.ts';
import { type Call, withCalls, withLeases } from '../../../setup/mutants/spoil.ts';
import type { Schedule, SlotOutcome } from '../../port.ts';
import { toldBy } from '../rows/reads.ts';

/** A call that writes slots, with what it was told. */
export interface Met {
  call: Call;
  settled: Settled<unknown>;
  told: NonNullable<ReturnType<typeof toldBy>>;
  /** Its schedule, as it was put last. */
  known: Schedule;
}

/** Answers a call in the subject's place; undefined where there is nothing to lie about. */
type Lie = (met: Met) => Settled<unknown> | undefined | Promise<Settled<unknown> | undefined>;

/** A bench whose subjects lie to calls that ran while another call wrote slots of the same schedule. */
export function withRaces(bench: Bench, lied: () => void, lie: Lie): Bench {
  const running = new Set<{ schedule: string; isRace: boolean }>();
  return withSlots(bench, lied, async (schedule, make) => {
    const own = { schedule, isRace: false };
    for (const other of running) if (other.schedule === schedule) other.isRace = own.isRace = true;
    running.add(own);
    const met = await make();
    running.delete(own);
    return own.isRace && met ? lie(met) : undefined;
  });
}

/** A transaction of another session, and how it ended. */
interface Open {
  parameters: (readonly string[])[];
  ended?: 'commit' | 'rollback';
}

/** A bench whose subjects lie to calls that began while another session had a transaction open. */
export function withOpen(bench: Bench, lied: () => void, lie: (met: Met, open: Open) => ReturnType<Lie>): Bench {
  const transactions = new Set<Open>();
  const leased = withLeases(bench, (lease) => ({
    async begin() {
      const transaction = await lease.begin();
      const open: Open = { parameters: [] };
      transactions.add(open);
      const end = (how: 'commit' | 'rollback') => async () => {
        open.ended = how;
        transactions.delete(open);
        await transaction[how]();
      };
      return except(transaction, {
        run(statement, parameters = []) {
          open.parameters.push(parameters);
          return transaction.run(statement, parameters);
        },
        commit: end('commit'),
        rollback: end('rollback'),
      });
    },
  }));
  return withSlots(leased, lied, async (schedule, make) => {
    const open = [...transactions].find(({ parameters }) => parameters.some(([first]) => first === schedule));
    const met = await make();
    return open && met ? lie(met, open) : undefined;
  });
}

function withSlots(
  bench: Bench,
  lied: () => void,
  answer: (schedule: string, make: () => Promise<Met | undefined>) => Promise<Settled<unknown> | undefined>,
): Bench {
  const schedules = new Map<string, Schedule>();
  return withCalls(bench, async (call) => {
    const { member, args } = call;
    if (member === 'putSchedules') for (const one of args[0] as Schedule[]) schedules.set(one.id, one);
    const { schedule } = args[0] as { schedule?: string };
    const known = schedules.get(schedule ?? '');
    if (!known || !['materializeWindow', 'materialize'].includes(member)) return call.make();
    let settled: Settled<unknown> | undefined;
    const lie = await answer(known.id, async () => {
      settled = await call.make();
      const told = toldBy(call, settled);
      return told && { call, settled, told, known };
    });
    if (lie) lied();
    return lie ?? settled!;
  });
}

/** What was settled, with other outcomes. */
export function withOutcomes({ call, settled }: Met, outcomes: readonly SlotOutcome[]): Settled<unknown> {
  const value = (settled as { value: object }).value;
  const said = call.member === 'materialize' ? { outcome: outcomes[0] } : { outcomes };
  return { value: { ...value, ...said } };
}
