import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bench, guard, NotApplicable, Violation } from '../contracts/kernel/guard.ts';
import { messages } from '../contracts/send-batch/messages.ts';
import { sendWrites } from '../contracts/send-batch/writes.ts';
import { fixture, judgeAll, testOptions } from './fixtures/judging.ts';
import { references } from './references.ts';
import { run } from './run.ts';
import type { RunOptions } from './run-options.ts';

async function verdictOf(check: (bench: Bench) => Promise<void>, options: Partial<RunOptions> = {}) {
  const spoiled = guard({ id: 'test/spoiled', statement: 'A guard made for this test.', proves: ['looks'], check });
  const [verdict] = await judgeAll([spoiled], testOptions({ backends: references.slice(0, 1), ...options }));
  return verdict!;
}

/** Sends one batch to a fixture that misbehaves. */
const sendOne = async (bench: Bench) => {
  bench.record('looks', 1);
  const rig = await bench.open();
  await sendWrites.write(rig, messages(bench, 3, 'bare'));
};

describe('evidence decides', () => {
  it('is upheld when nothing is violated and the evidence is there', async () => {
    const verdict = await verdictOf(async (bench) => bench.record('looks', 2));
    expect(verdict).toMatchObject({ verdict: 'upheld', evidence: { looks: 2 }, reason: null, replay: null });
  });

  it('is vacuous when the evidence was never entered', async () => {
    expect(await verdictOf(async () => {})).toMatchObject({ verdict: 'vacuous', reason: 'no evidence of: looks' });
  });

  it('is vacuous when the evidence is zero in one case, whatever the other cases saw', async () => {
    const verdict = await verdictOf(async (bench) => {
      await bench.case('first', async () => bench.record('looks', 5));
      await bench.case('second', async () => bench.record('looks', 0));
    });
    expect(verdict).toMatchObject({ verdict: 'vacuous', reason: 'no evidence of: looks', evidence: { looks: 5 } });
  });

  it('is violated, not vacuous, when the rule broke before the evidence was there', async () => {
    const verdict = await verdictOf(async () => {
      throw new Violation('broken');
    });
    expect(verdict).toMatchObject({ verdict: 'violated', message: 'broken', case: null });
  });

  it('refuses a guard that names no evidence', () => {
    expect(() => guard({ id: 'x', statement: '', proves: [], check: async () => {} })).toThrow(
      'guard x names no evidence',
    );
  });
});

describe('cases', () => {
  it('go on after one is red, and the verdict names the first red one', async () => {
    const verdict = await verdictOf(async (bench) => {
      bench.record('looks', 1);
      await bench.case('green', async () => {});
      await bench.case('red', async () => {
        throw new Violation('first');
      });
      await bench.case('also-red', async () => {
        throw new Violation('second');
      });
    });
    expect(verdict).toMatchObject({ verdict: 'violated', case: 'red', message: 'first' });
    expect(verdict.cases.map((c) => `${c.name} ${c.verdict}`)).toEqual([
      'green upheld',
      'red violated',
      'also-red violated',
    ]);
    expect(verdict.replay).toBe(
      'npx contract-test --provider memory/plain --guard test/spoiled --seed 20260101 --runs 20 --timeout 20s --replay red',
    );
  });

  it('are in the verdict when they are left out, and count for nothing', async () => {
    const check = async (bench: Bench) => {
      bench.record('looks', 1);
      await bench.case('judged', async () => {});
      bench.leaveOut('in-another-zone', 'it has no zones');
      bench.leaveOut('lacks-nothing', undefined);
    };
    expect(await verdictOf(check)).toMatchObject({
      verdict: 'upheld',
      cases: [
        { name: 'judged', verdict: 'upheld' },
        { name: 'in-another-zone', verdict: 'not-applicable', reason: 'it has no zones' },
      ],
    });
    expect(await verdictOf(check, { replay: 'in-another-zone' })).toMatchObject({
      verdict: 'not-applicable',
      by: 'engine',
      reason: 'in-another-zone is left out here: it has no zones',
    });
    const counted = await run(testOptions({ paths: ['memory/plain'], guards: ['send-batch/time-is-exact'] }), []);
    expect(counted.verdicts[0]!.cases.map(({ verdict }) => verdict)).toContain('not-applicable');
    expect(counted.counts.cases).toBe(counted.verdicts[0]!.cases.length - 1);
  });

  it('run alone when they are replayed, with the values that they had', async () => {
    const drawn: number[] = [];
    const check = async (bench: Bench) => {
      await bench.case('first', async () => void drawn.push(bench.draw(fc.nat()), -1));
      await bench.case('second', async () => void drawn.push(bench.draw(fc.nat()), bench.draw(fc.nat())));
    };
    await verdictOf(check);
    const [, , a, b] = drawn.splice(0);
    expect(await verdictOf(check, { replay: 'second' })).toMatchObject({ verdict: 'upheld' });
    expect(drawn).toEqual([a, b]);
  });
});

it('lets a mutant spoil subjects of its own contract alone', async () => {
  const guards = ['*/acknowledged-survives-reopen'];
  const mutants = ['send-batch/starts-afresh'];
  const { verdicts } = await run(testOptions({ paths: ['sqlite/file/json-each'], guards, mutants }), []);
  expect(verdicts.map(({ guard, verdict }) => `${guard} ${verdict}`).toSorted()).toEqual([
    'materialize-window/acknowledged-survives-reopen upheld',
    'send-batch/acknowledged-survives-reopen violated',
  ]);
});

it('proves nothing by a case that does not exist, and says which there are', async () => {
  const check = async (bench: Bench) => {
    bench.record('looks', 1);
    await bench.case('first', async () => {});
  };
  const reason = 'no case of the guard is called nonsense; its cases are first';
  expect(await verdictOf(check, { replay: 'nonsense' })).toMatchObject({ verdict: 'vacuous', reason });
});

it.each([{ replay: '' }, { replay: 'first@x' }, { guards: [''] }, { paths: [' '] }])(
  'refuses the filter %o',
  async (options) => {
    await expect(verdictOf(async () => {}, options)).rejects.toThrow(/is empty|is no case/);
  },
);

it('does not hear what a subject writes to the channel of its host', async () => {
  const verdict = await verdictOf(sendOne, { backends: fixture('talks-to-the-judge') });
  expect(verdict).toMatchObject({ verdict: 'upheld' });
});

it('gives the listed values of a case one subject, emptied in between, and stops at the first that fails', async () => {
  const seen: unknown[] = [];
  const subjects = new Set<unknown>();
  const verdict = await verdictOf(async (bench) => {
    bench.record('looks', 1);
    await bench.each('listed', [1, 2, 3, 4], async (value) => {
      const rig = await bench.openEmpty();
      subjects.add(rig.subject);
      seen.push(value, (await rig.lease.snapshot()).tables);
      await rig.subject.call('sendBatch', [[{ body: value }], {}]);
      if (value === 3) throw new Violation('three');
    });
  });
  const empty = { messages: 0, statuses: 0 };
  expect(seen).toEqual([1, empty, 2, empty, 3, empty]);
  expect(subjects.size).toBe(1);
  expect(verdict).toMatchObject({ verdict: 'violated', case: 'listed', message: 'three' });
});

describe('properties', () => {
  const failsFromTen = async (bench: Bench) => {
    bench.record('looks', 1);
    await bench.property('generated', fc.nat(1000), async (n) => {
      if (n >= 10) throw new Violation(`${n} is too much`);
    });
  };

  it('shrink to the smallest value that fails, and replay it by the printed path', async () => {
    const verdict = await verdictOf(failsFromTen);
    expect(verdict).toMatchObject({ verdict: 'violated', case: 'generated', message: '10 is too much' });
    expect(verdict.counterexample!.input).toContain('generated input 10 ');
    const path = verdict.replay!.split('--replay ')[1]!;
    expect(path).toMatch(/^generated@[\d:]+$/);
    expect(await verdictOf(failsFromTen, { replay: path })).toMatchObject({
      verdict: 'violated',
      message: '10 is too much',
    });
  });

  it('generate the same values for the same seed and others for another', async () => {
    const seen: number[][] = [];
    const collect = async (bench: Bench) => {
      const values: number[] = [];
      seen.push(values);
      await bench.property('generated', fc.nat(), async (n) => void values.push(n));
    };
    await verdictOf(collect);
    await verdictOf(collect);
    await verdictOf(collect, { seed: 2 });
    expect(seen[0]).toHaveLength(20);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).not.toEqual(seen[0]);
  });
});

describe.concurrent('what ends a guard early', () => {
  it('is an error of the harness when the guard itself fails', async () => {
    const verdict = await verdictOf(async () => {
      throw new TypeError('not a function');
    });
    expect(verdict).toMatchObject({ verdict: 'error', message: 'TypeError: not a function' });
  });

  it('is not applicable when the guard finds so', async () => {
    const verdict = await verdictOf(async () => {
      throw new NotApplicable('engine', 'no means');
    });
    expect(verdict).toMatchObject({ verdict: 'not-applicable', by: 'engine', reason: 'no means' });
  });

  it.each([
    ['loops-for-ever', /sendBatch \(3 items\) did not settle.*its thread answers no more/],
    ['never-settles', /sendBatch \(3 items\) did not settle.*its promise is still open/],
  ])('names a subject that %s', async (name, message) => {
    const verdict = await verdictOf(sendOne, { backends: fixture(name), timeout: 5000 });
    expect(verdict.verdict).toBe('violated');
    expect(verdict.message).toMatch(message);
  });

  it('names a subject that loops once its call has settled', async () => {
    const readAfterwards = async (bench: Bench) => {
      bench.record('looks', 1);
      const rig = await bench.open();
      await sendWrites.write(rig, messages(bench, 3, 'bare'));
      await rig.read();
    };
    const verdict = await verdictOf(readAfterwards, { backends: fixture('loops-later'), timeout: 5000 });
    expect(verdict).toMatchObject({ verdict: 'violated' });
    expect(verdict.message).toMatch(/reading by the probe did not settle.*its thread answers no more/);
  });

  it('names a subject that loops once all its calls have settled', async () => {
    const verdict = await verdictOf(sendOne, { backends: fixture('loops-later'), timeout: 5000 });
    expect(verdict).toMatchObject({ verdict: 'violated' });
    expect(verdict.message).toContain('after its calls had settled the subject began to loop');
  });

  it('names a subject that never closes', async () => {
    const verdict = await verdictOf(sendOne, { backends: fixture('never-closes'), timeout: 5000 });
    expect(verdict).toMatchObject({ verdict: 'violated' });
    expect(verdict.message).toContain('closing the subject did not settle');
  });

  it('ends a fault that is still armed when its subject hangs', async () => {
    const armed = async (bench: Bench) => {
      bench.record('looks', 1);
      const rig = await bench.open();
      await rig.lease.arm({ at: 'row', table: 'messages', nth: 1, kind: 'trigger' });
      await sendWrites.write(rig, messages(bench, 3, 'bare'));
    };
    const verdict = await verdictOf(armed, { backends: fixture('loops-for-ever'), timeout: 5000 });
    expect(verdict.message).toContain('did not settle');
  });

  it.each([
    ['exits', 'the subject ended its thread: process.exit(3)'],
    ['throws-in-a-timer', 'the subject threw outside any promise: Error: thrown in a timer'],
    ['rejects-unhandled', 'the subject threw outside any promise: Error: rejected and forgotten'],
  ])('names a subject that %s', async (name, message) => {
    const verdict = await verdictOf(sendOne, { backends: fixture(name) });
    expect(verdict).toMatchObject({ verdict: 'violated', message });
  });
});
