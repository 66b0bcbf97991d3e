import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Prints why tests were skipped, and `N passed, N failed` on a line of its own for whoever reads only that. */
export default class TestSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    // A file that fails before its tests are known has none to count.
    const broken = modules.filter(
      (module) => module.state() === 'failed' && [...module.children.allTests()].every(passed),
    );
    const skipped = tests.filter((test) => test.result().state === 'skipped');
    const lines = [
      ...reasons(skipped),
      `${count('passed')} passed, ${count('failed') + broken.length + errors.length} failed`,
    ];
    if (skipped.length > 0) lines[lines.length - 1] += `, ${skipped.length} skipped`;
    // Written after the other reporters have closed their own summary.
    process.once('exit', () => process.stdout.write(`\n${lines.join('\n')}\n`));
  }
}

function passed(test: TestCase): boolean {
  return test.result().state !== 'failed';
}

/** One line for each reason, with how many tests it kept from running. */
function reasons(skipped: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const result = test.result();
    const reason = (result.state === 'skipped' && result.note) || 'no reason given';
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, tests]) => `skipped ${tests}: ${reason}`);
}
