import { expect, test } from 'vitest';
import { itemsOf, withItems } from './items.ts';

const [one, two] = [{ body: 1, route: 'a' }, { body: 2 }];
const [first, second] = [
  { at: 'x', next: 'y', child: one },
  { at: 'y', next: 'z', child: two },
];
const only = (item: Record<string, unknown>) => ({ body: item.body });

test.each<[string, unknown[], unknown[], unknown[]]>([
  ['messages', [[one, two], {}], [one, two], [[{ body: 1 }, two], {}]],
  ['one message', [one, {}], [one], [{ body: 1 }, {}]],
  [
    'a window',
    [{ schedule: 's', slots: [first, second] }, {}],
    [one, two],
    [{ schedule: 's', slots: [{ ...first, child: { body: 1 } }, second] }, {}],
  ],
  [
    'one slot',
    [{ schedule: 's', slot: first }, {}],
    [one],
    [{ schedule: 's', slot: { ...first, child: { body: 1 } } }, {}],
  ],
  ['schedules', [[{ id: 's', runs: 0 }]], [], [[{ id: 's', runs: 0 }]]],
  ['a count', [3], [], [3]],
  ['nothing', [], [], [undefined]],
])('the items of a call with %s', (_what, args, items, changed) => {
  expect(itemsOf(args)).toEqual(items);
  expect(withItems(args, only)).toEqual(changed);
});
