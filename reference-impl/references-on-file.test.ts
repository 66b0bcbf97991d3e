import { describeBackend } from '../integrations/vitest.ts';

/* The references on a database file, in worker threads, as users run them. */
const seed = Number(process.env.CONTRACT_TEST_SEED ?? 20_260_101);

await describeBackend(new URL('./sqlite/index.ts', import.meta.url), { paths: ['sqlite/file'], seed, runs: 10 });
