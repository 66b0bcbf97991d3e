import type { Mutant } from '../../../kernel/mutant.ts';
import type { Id } from '../../../kernel/outcome.ts';
import { setupMutant } from '../../../setup/mutants/spoil.ts';
import type { Expected, Standing } from '../../port.ts';
import { keyOf } from '../rows/reads.ts';
import { type Met, withOpen, withOutcomes, withRaces } from './meetings.ts';

const racers = 'materialize-window/racers-create-each-slot-once';

/** Lies to calls that meet others: told in the judge, who sees the calls of all hosts. */
export const raceMutants: Mutant[] = [
  setupMutant({
    id: 'lock-after-the-read',
    lie: 'Reads the run count before it waits for the schedule, and writes what it has made of it afterwards.',
    target: racers,
    bench: (bench, lied) =>
      withRaces(bench, lied, async ({ call, settled, told, known }) => {
        const created = told.outcomes.filter((outcome) => typeof outcome === 'object').length;
        const { cursor, runs } = standing(settled);
        const own = (known.runs ?? 0) + created;
        if (created === 0 || runs === own) return undefined;
        await call.rig.subject.call('putSchedules', [[{ ...known, cursor, runs: own }]]);
        return settled;
      }),
  }),
  setupMutant({
    id: 'check-then-insert-slots',
    lie: 'Looks which slots are free before it waits, and tells of one as created that another call has created meanwhile.',
    target: racers,
    bench(bench, lied) {
      const ids = new Map<string, Id | null>();
      return withRaces(bench, lied, (met) => {
        const { expected, slots, outcomes } = met.told;
        const keys = slots.map(({ at }) => keyOf(expected.schedule, at));
        for (const [i, outcome] of outcomes.entries())
          if (typeof outcome === 'object') ids.set(keys[i]!, outcome.created);
        const others = outcomes.map((outcome, i) => {
          const id = ids.get(keys[i]!);
          return typeof outcome === 'object' || id === undefined ? outcome : { created: id };
        });
        return others.some((outcome, i) => outcome !== outcomes[i]) ? withOutcomes(met, others) : undefined;
      });
    },
  }),
  setupMutant({
    id: 'raw-driver-error-leaks',
    lie: 'Fails a call that comes second by an error of the driver, which does not say that it is worth another try.',
    target: racers,
    bench: (bench, lied) =>
      withRaces(bench, lied, ({ told }) => {
        if (!isLost(told)) return undefined;
        const message = 'could not serialize access due to concurrent update';
        return { threw: { name: 'DatabaseError', message, code: '40001' } };
      }),
  }),
  setupMutant({
    id: 'expectation-read-again',
    lie: 'Reads the cursor once more when another call has moved it, and goes on with that.',
    target: racers,
    bench: (bench, lied) =>
      withRaces(bench, lied, ({ call, settled, told }) => {
        const { cursor } = standing(settled);
        if (!told.outcomes.every((outcome) => outcome === 'cursor-moved') || cursor === null) return undefined;
        return call.make([{ ...(call.args[0] as Expected), expectedCursor: cursor }, {}]);
      }),
  }),
  setupMutant({
    id: 'waiter-told-conflict',
    lie: 'Tells of a slot as taken that another session held, although it was given up.',
    target: racers,
    bench: (bench, lied) =>
      withOpen(bench, lied, (met, { parameters, ended }) => {
        if (ended !== 'rollback') return undefined;
        const { expected, slots, outcomes } = met.told;
        const held = new Set(parameters.flatMap(([schedule, at]) => (at === undefined ? [] : [keyOf(schedule, at)])));
        if (!slots.some(({ at }) => held.has(keyOf(expected.schedule, at)))) return undefined;
        const isHeld = (i: number) => held.has(keyOf(expected.schedule, slots[i]!.at));
        return withOutcomes(
          met,
          outcomes.map((outcome, i) => (isHeld(i) ? 'already-exists' : outcome)),
        );
      }),
  }),
  setupMutant({
    id: 'cancel-overwritten',
    lie: 'Makes the schedule active again that was cancelled while a call waited, and creates the slots.',
    target: 'materialize-window/cancel-while-waiting-wins',
    bench: (bench, lied) =>
      withOpen(bench, lied, async ({ call, told, known }, { ended }) => {
        if (ended !== 'commit' || !told.outcomes.every((outcome) => outcome === 'parent-inactive')) return undefined;
        await call.rig.subject.call('putSchedules', [[known]]);
        return call.make();
      }),
  }),
];

/** Where the schedule stood when a call had ended. */
function standing(settled: Met['settled']): Standing {
  return (settled as { value: Standing }).value;
}

function isLost({ outcomes }: Met['told']): boolean {
  return outcomes.every((outcome) => typeof outcome !== 'object');
}
