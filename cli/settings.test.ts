import { expect, test } from 'vitest';
import { defaultRuns, defaultTimeout } from '../runner/run-options.ts';
import type { Config } from './define-config.ts';
import { type RunFlags, settle } from './settings.ts';

const builtIn = [{ url: 'file:///built-in.ts', export: 'default' }];
const here = import.meta.dirname;
const fixtures = `${here}/fixtures`;

function settled(flags: RunFlags, config: Config = {}, folder = here) {
  return settle(flags, { config, folder }, here, builtIn);
}

test('without a word the built-in backends run on memory and sqlite', () => {
  const { options, reporters, debug } = settled({});
  expect(options).toEqual({
    backends: builtIn,
    backendFiles: [],
    paths: ['memory', 'sqlite'],
    provision: null,
    url: null,
    required: [],
    contracts: [],
    guards: [],
    seed: expect.any(Number),
    runs: defaultRuns,
    replay: null,
    timeout: defaultTimeout,
    keep: false,
    strict: false,
    trace: false,
    host: 'worker',
    mutants: [],
    concurrency: expect.any(Number),
  });
  expect(reporters).toEqual([{ name: 'console' }]);
  expect(debug).toBe(false);
});

test('a backend of one’s own takes the place of the built-in ones, on every path that it has', () => {
  const { options } = settled({ backend: ['fixtures/backend.ts#mine'] });
  expect(options.backends.map((ref) => ref.export)).toEqual(['mine']);
  expect(options.backendFiles).toEqual(['fixtures/backend.ts#mine']);
  expect(options.paths).toEqual([]);
});

test('the command line wins over the configuration', () => {
  const config: Config = {
    provider: 'sqlite',
    seed: 1,
    runs: 2,
    timeout: 3,
    guard: ['a'],
    strict: true,
    host: 'inline',
  };
  expect(settled({}, config).options).toMatchObject({
    paths: ['sqlite'],
    seed: 1,
    runs: 2,
    timeout: 3,
    guards: ['a'],
    strict: true,
    host: 'inline',
  });
  const flags: RunFlags = { provider: ['memory,sqlite/file'], seed: '4', runs: '5', timeout: '6s', guard: ['{b,c}'] };
  expect(settled(flags, config).options).toMatchObject({
    paths: ['memory', 'sqlite/file'],
    seed: 4,
    runs: 5,
    timeout: 6000,
    guards: ['{b,c}'],
  });
});

test('files of a configuration are found from where it lies, and named from here', () => {
  const { options } = settled({}, { backend: './backend.ts' }, fixtures);
  expect(options.backends[0]!.url).toContain('/fixtures/backend.ts');
  expect(options.backendFiles).toEqual(['fixtures/backend.ts']);
});

test('an engine that is named is required; one that is there by default is not', () => {
  expect(settled({ provider: ['sqlite/file,sqlite/memory'], require: ['memory'] }).options.required).toEqual([
    'memory',
    'sqlite',
  ]);
  expect(settled({}, { provider: 'sqlite' }).options.required).toEqual(['sqlite']);
  expect(settled({}, { require: 'sqlite' }).options.required).toEqual(['sqlite']);
  expect(settled({ backend: ['fixtures/backend.ts'] }).options.required).toEqual([]);
});

test('the command line wins about the server, too', () => {
  const config: Config = { url: 'postgres://a@host/db', provision: 'url' };
  const given = (address: string) => ({ address, named: address });
  expect(settled({}, config).options).toMatchObject({ url: given(config.url!), provision: 'url' });
  const flags: RunFlags = { url: 'postgres://b@host/db' };
  expect(settled(flags, config).options.url).toEqual(given(flags.url!));
  expect(settled({ provision: 'local' }).options).toMatchObject({ url: null, provision: 'local' });
});

test('two runs without a seed get two seeds', () => {
  const seeds = Array.from({ length: 5 }, () => settled({}).options.seed);
  expect(new Set(seeds).size).toBeGreaterThan(1);
});

test('a case to replay needs a guard', () => {
  expect(() => settled({ replay: 'size-1' })).toThrow('--replay needs --guard');
  expect(settled({ replay: 'size-1', guard: ['a'] }).options.replay).toBe('size-1');
});
