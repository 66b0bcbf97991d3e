import { describe, expect, it, test } from 'vitest';
import { contracts } from './index.ts';
import type { Guard } from './kernel/guard.ts';
import { materializeWindowMutants } from './materialize-window/mutants/index.ts';
import { windowBatching } from './materialize-window/mutants/windows.ts';
import { mutants } from './mutants.ts';
import { sendBatching } from './send-batch/mutants/batches.ts';
import { sendBatchMutants } from './send-batch/mutants/index.ts';
import { setupMutants } from './setup/mutants/index.ts';
import { writingMutants } from './writing/mutants/index.ts';

test('ids are unique', () => {
  const ids = mutants.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(contracts)('$name', ({ name, guards }) => {
  const own = mutants.filter(({ id, control }) => !control && id.startsWith(`${name}/`));

  it.each([...own, ...setupMutants].map((m) => [m.id, m] as const))('%s names guards that exist', (_id, m) => {
    const { target, alsoKilledBy, lie } = m;
    expect(guards.map(({ id }) => id)).toEqual(expect.arrayContaining([target, ...alsoKilledBy]));
    expect(alsoKilledBy).not.toContain(target);
    expect(new Set(alsoKilledBy).size).toBe(alsoKilledBy.length);
    expect(lie).toMatch(/^[A-Z].*\.$/);
  });

  it('has a mutant for every guard of the setup and of the common family', () => {
    const targets = new Set([...own, ...setupMutants].map(({ target }) => target));
    expect(guards.filter((guard) => isCommon(guard) && !targets.has(guard.id))).toEqual([]);
  });
});

/** Whether every contract has the guard. */
function isCommon({ id }: Guard): boolean {
  const rule = id.split('/')[1];
  return contracts.every(({ guards }) => guards.some((other) => other.id.split('/')[1] === rule));
}

test.each([
  ['send-batch', sendBatchMutants, writingMutants(sendBatching), sendBatching.alsoFoundBy],
  ['materialize-window', materializeWindowMutants, writingMutants(windowBatching), windowBatching.alsoFoundBy],
] as const)(
  '%s has the common lies, and says what finds lies that there are',
  (_contract, all, common, alsoFoundBy) => {
    const named = [...common.map(({ id }) => id), ...Object.keys(alsoFoundBy)];
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(named));
  },
);
