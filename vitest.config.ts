import { defineConfig } from 'vitest/config';

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
