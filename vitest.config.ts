import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Modules are compiled once, and not once for every thread and process. What comes out of the cache is covered less exactly.
if (!process.env.NODE_V8_COVERAGE)
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/contract-test');

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '.reports/**', '.stryker-tmp/**'],
    pool: 'threads',
    // Modules run as Node loads them, so that coverage lines are exact and hosts started by a test load the same files.
    experimental: { viteModuleRunner: false },
    reporters: ['default', './test-summary.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
