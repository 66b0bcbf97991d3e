import { describeBackend } from '../integrations/vitest.ts';

/*
 * Every reference upholds every guard that applies. Paths whose engine lives in memory run in this thread, so that
 * coverage and code mutants see each guard by itself; the others run in worker threads, as users run them.
 */
const seed = Number(process.env.CONTRACT_TEST_SEED ?? 20_260_101);
const memory = new URL('./memory/index.ts', import.meta.url);
const sqlite = new URL('./sqlite/index.ts', import.meta.url);

await describeBackend(memory, { host: 'inline', seed, runs: 30 });
await describeBackend(sqlite, { paths: ['sqlite/memory', 'sqlite/shared'], host: 'inline', seed, runs: 30 });
await describeBackend(sqlite, { paths: ['sqlite/file'], seed, runs: 10 });
