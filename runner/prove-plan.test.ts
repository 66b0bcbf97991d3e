import { expect, test } from 'vitest';
import { contracts } from '../contracts/index.ts';
import { mutants as allMutants } from '../contracts/mutants.ts';
import { mutantsOf, planPath } from './prove-plan.ts';

const guards = contracts.find(({ name }) => name === 'send-batch')!.guards;
const plans = planPath(guards, mutantsOf('send-batch', allMutants), { full: true, someMutants: false });
const planOf = (id: string) => plans.find(({ guard }) => guard.id === id)!;

test('with full, a guard meets the mutants that are aimed at it and all others', () => {
  const { aimed, others } = planOf('send-batch/ids-in-caller-order');
  expect(aimed.map(({ id }) => id)).toContain('send-batch/ids-reversed');
  expect(others.map(({ id }) => id)).toContain('send-batch/drops-route');
  expect(others.filter(({ id }) => id.startsWith('setup/'))).toEqual([]);
});

test.each(['send-batch/no-cliff-at-large-sizes', 'send-batch/acknowledged-survives-crash'])(
  'with full, %s meets its own mutants alone',
  (id) => {
    const { aimed, others } = planOf(id);
    expect(aimed.length).toBeGreaterThan(0);
    expect(others).toEqual([]);
  },
);
