import { expect, test } from 'vitest';
import { normalise } from './outcomes.ts';

test.each<[unknown, unknown]>([
  [{ stored: 12 }, { stored: '12' }],
  [{ stored: 2n ** 64n }, { stored: '18446744073709551616' }],
  [{ stored: 'a-b' }, { stored: 'a-b' }],
  [{ stored: null }, { stored: null }],
  [{ duplicate: 7n }, { duplicate: '7' }],
  [{ duplicate: null }, { duplicate: null }],
  [{ failed: new TypeError('no') }, { failed: { name: 'TypeError', message: 'no' } }],
  [{ unknown: 'lost' }, { unknown: { name: 'string', message: 'lost' } }],
  [
    { stored: 1, about: { correlationId: 'c' } },
    { stored: '1', about: { correlationId: 'c' } },
  ],
  [undefined, { malformed: 'undefined' }],
  [null, { malformed: 'null' }],
  ['ok', { malformed: "'ok'" }],
  [{}, { malformed: '{}' }],
  [{ stored: undefined }, { malformed: '{ stored: undefined }' }],
  [{ failed: undefined }, { malformed: '{ failed: undefined }' }],
  [{ unknown: null }, { malformed: '{ unknown: null }' }],
  [{ stored: Number.NaN }, { malformed: '{ stored: NaN }' }],
  [{ stored: { id: 1 } }, { malformed: '{ stored: { id: 1 } }' }],
  [{ stored: 1, duplicate: 2 }, { malformed: '{ stored: 1, duplicate: 2 }' }],
])('%o', (reported, normal) => {
  expect(normalise('outcome', reported)).toEqual(normal);
  expect(normalise('outcomes', [reported, { stored: 1 }])).toEqual([normal, { stored: '1' }]);
});

test('a hole in the list is an outcome that is undefined', () => {
  const holes: unknown[] = [{ stored: 1 }];
  holes.length = 2;
  expect(normalise('outcomes', holes)).toEqual([{ stored: '1' }, { malformed: 'undefined' }]);
});

test('an outcome that cannot be read is malformed', () => {
  const hostile = {
    get stored() {
      throw new Error('no');
    },
  };
  expect(normalise('outcome', hostile)).toEqual({ malformed: '{ stored: [Getter] }' });
});

test('what is no list, and what other members return, stays as it is', () => {
  expect(normalise('outcomes', undefined)).toBeUndefined();
  expect(normalise('outcomes', { stored: 1 })).toEqual({ stored: 1 });
  expect(normalise('value', [{ stored: 1 }])).toEqual([{ stored: 1 }]);
});
