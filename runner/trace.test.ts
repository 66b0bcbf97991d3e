import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Bench, guard, type Rig, Violation } from '../contracts/kernel/guard.ts';
import { messages } from '../contracts/send-batch/messages.ts';
import { sendWrites } from '../contracts/send-batch/writes.ts';
import { fixture, judgeAll, testOptions } from './fixtures/judging.ts';
import { references } from './references.ts';
import type { RunOptions } from './run-options.ts';

/** What was recorded, without the times. */
async function traceOf(check: (bench: Bench) => Promise<void>, options: Partial<RunOptions> = {}) {
  const red = guard({ id: 'test/red', statement: 'A guard made for this test.', proves: ['looks'], check });
  const base = { backends: fixture('correct-queue'), paths: ['sqlite/file'], trace: true };
  const [verdict] = await judgeAll([red], testOptions({ ...base, ...options }));
  return verdict!.trace?.map((line) => line.replace(/ *\+[\d.]+/, '').replace(/,? [\d.]+ ms/, '')) ?? null;
}

async function send(bench: Bench, rig: Rig, count: number): Promise<void> {
  await sendWrites.write(rig, messages(bench, count, 'bare'));
}

const insert = '#1 │ write    INSERT INTO jobs (body, priority, route) VALUES (?, ?, ?) -> 1 row';
const batchOf = (count: number) => [
  `${count + 2} statements`,
  '#1 ┌ begin    BEGIN IMMEDIATE ->',
  ...Array.from({ length: count }, () => insert),
  '#1 └ commit   COMMIT ->',
];

it('holds what was sent in the first case that broke the rule, and nothing of the others', async () => {
  const trace = await traceOf(async (bench) => {
    for (const count of [1, 2, 3, 4]) {
      await bench.case(`size-${count}`, async () => {
        await send(bench, await bench.open(), count);
        if (count > 1) throw new Violation('broken');
      });
    }
  });
  expect(trace).toEqual(batchOf(2));
});

it('holds what was sent outside of any case', async () => {
  const trace = await traceOf(async (bench) => {
    await send(bench, await bench.open(), 2);
    throw new Violation('broken');
  });
  expect(trace).toEqual(batchOf(2));
});

it('holds what was sent with the smallest value that broke the rule', async () => {
  const trace = await traceOf(async (bench) => {
    await bench.property('generated', fc.integer({ min: 1, max: 30 }), async (count) => {
      await send(bench, await bench.openEmpty(), count);
      if (count > 2) throw new Violation('broken');
    });
  });
  expect(trace).toEqual(batchOf(3));
});

it('keeps the beginning and the end of what is long', async () => {
  const trace = await traceOf(async (bench) => {
    await send(bench, await bench.open(), 1000);
    throw new Violation('broken');
  });
  expect(trace).toHaveLength(201);
  expect(trace![0]).toBe('1002 statements');
  expect(trace![100]).toBe('(803 more lines)');
  expect(trace!.at(-1)).toBe('#1 └ commit   COMMIT ->');
});

it.each(['memory', 'sqlite/memory', 'sqlite/shared', 'postgres/loop'])('there is one on %s', async (path) => {
  const trace = await traceOf(
    async (bench) => {
      await send(bench, await bench.open(), 3);
      throw new Violation('broken');
    },
    { backends: [...references], paths: [path] },
  );
  expect(trace?.[0]).toMatch(/^\d+ statements/);
  expect(trace!.length).toBeGreaterThan(3);
});

it('is null for a rule that holds, and where it is not asked for', async () => {
  const fails = async (bench: Bench) => {
    await send(bench, await bench.open(), 2);
    throw new Violation('broken');
  };
  expect(await traceOf(fails, { trace: false })).toBe(null);
  expect(await traceOf(async (bench) => bench.record('looks', 1))).toBe(null);
});
