import { expect, test } from 'vitest';
import type { SeenStatement } from '../kernel/engine.ts';
import { unawaited } from './unawaited.ts';

type Given = [kind: SeenStatement['kind'], startedMs: number, endedMs: number, over?: Partial<SeenStatement>];

const seen = (...given: Given[]): SeenStatement[] =>
  given.map(([kind, startedMs, endedMs, over]) => ({ kind, text: kind, connection: 1, startedMs, endedMs, ...over }));

/** The call runs from 100 to 200. */
const late = (...given: Given[]) =>
  unawaited(seen(...given), { startedMs: 100, settledMs: 200 }).map(({ kind, endedMs }) => `${kind} ${endedMs}`);

test.each<[string, Given[], string[]]>([
  ['a write that ended before the call had settled', [['write', 110, 199]], []],
  ['a write that ended after it', [['write', 110, 220]], ['write 220']],
  ['a read that ended after it', [['read', 110, 220]], []],
  ['a write that failed', [['write', 110, 220, { failed: 'no' }]], []],
  ['a write that was begun before the call', [['write', 90, 220]], []],
  ['a write that was begun after it', [['write', 201, 220]], []],
  [
    'a transaction that was committed after it',
    [
      ['begin', 110, 111],
      ['write', 210, 211],
      ['commit', 212, 213],
    ],
    ['commit 213'],
  ],
  [
    'one that wrote nothing',
    [
      ['begin', 110, 111],
      ['read', 120, 121],
      ['commit', 212, 213],
    ],
    [],
  ],
  [
    'one that was rolled back',
    [
      ['begin', 110, 111],
      ['write', 120, 221],
      ['rollback', 222, 223],
    ],
    [],
  ],
  [
    'one in which a statement failed, so that its COMMIT rolls back',
    [
      ['begin', 110, 111],
      ['write', 120, 121],
      ['write', 122, 123, { failed: 'no' }],
      ['commit', 212, 213],
    ],
    [],
  ],
  [
    'a write beside the transaction of another connection',
    [
      ['begin', 110, 111],
      ['write', 120, 230, { connection: 2 }],
      ['commit', 190, 195],
    ],
    ['write 230'],
  ],
])('%s', (_name, given, expected) => {
  expect(late(...given)).toEqual(expected);
});
