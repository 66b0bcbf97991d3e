import { expect, it } from 'vitest';
import type { SeenStatement } from '../contracts/kernel/engine.ts';
import { commitsOf } from './commits.ts';

const at = (kind: SeenStatement['kind'], connection = 1, failed?: string): SeenStatement => ({
  kind,
  text: kind,
  connection,
  startedMs: 0,
  endedMs: 0,
  ...(failed !== undefined && { failed }),
});

it.each([
  ['a statement that commits itself', [at('write')], 1],
  ['a transaction of several', [at('begin'), at('write'), at('write'), at('commit')], 1],
  [
    'transactions side by side',
    [at('begin', 1), at('begin', 2), at('write', 1), at('write', 2), at('commit', 2), at('commit', 1)],
    2,
  ],
  ['a transaction that only reads', [at('begin'), at('read'), at('commit')], 0],
  ['one that is rolled back', [at('begin'), at('write'), at('rollback')], 0],
  ['a commit that fails, and its rollback', [at('begin'), at('write'), at('commit', 1, 'refused'), at('rollback')], 0],
  ['a write that fails, and one after it', [at('write', 1, 'refused'), at('write')], 1],
])('counts %s', (_what, statements, commits) => {
  expect(commitsOf(statements)).toBe(commits);
});
