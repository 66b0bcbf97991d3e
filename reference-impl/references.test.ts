import { describeBackend } from '../integrations/vitest.ts';

/*
 * Every reference whose engine lives in memory upholds every guard that applies, in this thread, so that coverage and
 * code mutants see each guard by itself.
 */
const seed = Number(process.env.CONTRACT_TEST_SEED ?? 20_260_101);

await describeBackend(new URL('./memory/index.ts', import.meta.url), { host: 'inline', seed, runs: 30 });
await describeBackend(new URL('./sqlite/index.ts', import.meta.url), {
  paths: ['sqlite/memory', 'sqlite/shared'],
  host: 'inline',
  seed,
  runs: 30,
});
