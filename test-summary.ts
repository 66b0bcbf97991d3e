import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed` on a line of its own, for whoever reads only that. */
export default class TestSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      for (const test of tests) counts[test.result().state] += 1;
      // A file that fails before its tests are known has none to count.
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) counts.failed += 1;
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    // Written after the other reporters have closed their own summary.
    process.once('exit', () => process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`));
  }
}
