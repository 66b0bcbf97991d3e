import { defineConfig } from 'vitest/config';

/** The tests that run in one thread: only there does a code mutant reach the code that a test calls. */
export default defineConfig({
  test: {
    include: ['contracts/**/*.test.ts', 'reference-impl/**/*.test.ts'],
    exclude: ['node_modules', 'reference-impl/references-on-file.test.ts', 'reference-impl/imports.test.ts'],
    pool: 'threads',
    experimental: { viteModuleRunner: false },
    testTimeout: 60_000,
  },
});
