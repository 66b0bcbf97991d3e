import { expect, it } from 'vitest';
import { fixture, testOptions } from './fixtures/judging.ts';
import { run } from './run.ts';

async function verdictOn(name: string) {
  const [module] = fixture('unusual-values');
  const guards = ['send-batch/metadata-round-trips'];
  const backends = [{ ...module!, export: name }];
  const { verdicts } = await run(testOptions({ backends, paths: ['sqlite/shared'], guards }), []);
  return verdicts[0]!;
}

it('a value that is refused in words is not judged; the others are', async () => {
  const { verdict, evidence } = await verdictOn('refuses');
  expect(verdict).toBe('upheld');
  // The batch, the priorities below zero and the long route; of 19 values 16 are left.
  expect(evidence).toMatchObject({ 'batches with unusual values refused': 4, 'unusual values kept': 16 });
});

it.each([
  [
    'clamps',
    /a batch of unusual values: 2 of 19 messages are not stored as sent.*expected priority = -1, found .* = 0$/,
  ],
  ['inBatches', /^a batch of 19 unusual values is refused, although each of them is stored when it is sent alone$/],
  ['refusesAndTrims', /^a message with \{"route":" padded "\}: .* found route = "padded"$/],
])('%s is in violation', async (name, message) => {
  const verdict = await verdictOn(name);
  expect(verdict).toMatchObject({ verdict: 'violated', case: 'unusual-values' });
  expect(verdict.message).toMatch(message);
});
