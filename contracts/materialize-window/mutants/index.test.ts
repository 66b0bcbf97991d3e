import { expect, test } from 'vitest';
import { materializeWindow } from '../index.ts';
import { materializeWindowMutants } from './index.ts';

const guards = materializeWindow.guards.map(({ id }) => id);

test.each(materializeWindowMutants.filter((m) => !m.control).map((m) => [m.id, m] as const))(
  '%s names guards that exist',
  (_id, { target, alsoKilledBy, lie }) => {
    expect(guards).toEqual(expect.arrayContaining([target, ...alsoKilledBy]));
    expect(alsoKilledBy).not.toContain(target);
    expect(lie).toMatch(/^[A-Z].*\.$/);
  },
);

test('every guard of its own has a mutant', () => {
  const targets = new Set(materializeWindowMutants.map(({ target }) => target));
  expect(guards.filter((id) => !id.startsWith('setup/') && !targets.has(id))).toEqual([]);
});
