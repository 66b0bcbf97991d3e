import { expect, it } from 'vitest';
import { lookInside } from './look-inside.ts';
import type { Running } from './statement.ts';

const statement = (): Running => ({ ended: false, writes: false, marks: new Set(), seen: {} as Running['seen'] });

it('looks about forty times into one statement, ever more rarely, and then no more', async () => {
  const waits: number[] = [];
  let looks = 0;
  const one = statement();
  await lookInside(
    () => one,
    async () => void looks++,
    async (ms) => void waits.push(ms),
  );
  expect(looks).toBe(40);
  expect(waits).toEqual([...waits].sort((a, b) => a - b));
  const total = waits.reduce((sum, ms) => sum + ms);
  expect(total).toBeGreaterThan(2000);
  expect(total).toBeLessThan(10_000);
});

it('goes on with the next statement, and ends with the last', async () => {
  const [one, two] = [statement(), statement()];
  const looked: Running[] = [];
  const running = (): Running | undefined => (looked.length < 3 ? one : looked.length < 45 ? two : undefined);
  await lookInside(
    running,
    async () => void looked.push(running()!),
    async () => {},
  );
  expect(looked.filter((s) => s === one)).toHaveLength(3);
  expect(looked.filter((s) => s === two)).toHaveLength(40);
});

it('does not look where nothing runs any more', async () => {
  await lookInside(
    () => undefined,
    () => expect.fail('looked'),
  );
});
