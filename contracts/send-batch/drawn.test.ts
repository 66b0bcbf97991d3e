import { expect, it } from 'vitest';
import { judgeAll, testOptions } from '../../runner/fixtures/judging.ts';
import { sendBatch } from './index.ts';

it.each(['mixed-shapes-keep-their-columns', 'inputs-are-not-touched', 'defaults-are-per-row'])(
  'what is drawn for each row may differ, whatever it looks like: %s',
  async (name) => {
    const url = new URL('./fixtures/short-tokens.ts', import.meta.url).href;
    const guards = sendBatch.guards.filter(({ id }) => id === `send-batch/${name}`);
    const options = testOptions({ backends: [{ url, export: 'default' }], paths: ['sqlite/file'], runs: 3 });
    expect(await judgeAll(guards, options)).toMatchObject([{ verdict: 'upheld' }]);
  },
);
