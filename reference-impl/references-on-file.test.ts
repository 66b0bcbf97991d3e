import { describeBackend } from '../integrations/vitest.ts';

/*
 * The references on a database file, in worker threads, as users run them. What is judged once for a variant, since it
 * takes long, is judged in references.test.ts.
 */
const seed = Number(process.env.CONTRACT_TEST_SEED ?? 20_260_101);

await describeBackend(new URL('./sqlite/index.ts', import.meta.url), {
  paths: ['sqlite/file'],
  guards: ['**/!(no-cliff*)'],
  seed,
  runs: 10,
});
