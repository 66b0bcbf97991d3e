import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../runner/usage-error.ts';
import * as option from './options.ts';

/** What is wrong, and what would be right. */
function refusal(parse: () => unknown): [message: string, hint: string | undefined] {
  try {
    parse();
  } catch (error) {
    if (error instanceof UsageError) return [error.message, error.hint];
    throw error;
  }
  throw new Error('nothing was refused');
}

test('lists are given once or often, and separated by commas', () => {
  expect(option.list(['a,b', ' c ', ',', ''])).toEqual(['a', 'b', 'c']);
  expect(option.list([])).toEqual([]);
  expect(() => option.list([' , '])).toThrow('names nothing');
});

test.each([
  ['500', 500],
  ['500ms', 500],
  ['10s', 10_000],
  ['1.5 s', 1500],
  ['2m', 120_000],
  ['2min', 120_000],
  [250, 250],
])('the time %j is %i ms', (text, ms) => {
  expect(option.milliseconds('--timeout', text)).toBe(ms);
});

test.each(['soon', '', '0', '-5s', '10h', '1e3', '99999999999'])('the time %j is refused', (text) => {
  expect(refusal(() => option.milliseconds('--timeout', text))).toEqual([
    `--timeout "${text}" is no span of time`,
    'write milliseconds, or a unit: 500ms, 10s, 2m',
  ]);
});

test('whole numbers within bounds are taken', () => {
  const bounds = { least: -10, most: 10 };
  expect(['-10', '+3', ' 7 ', 10].map((value) => option.integer('--seed', value, bounds))).toEqual([-10, 3, 7, 10]);
});

test.each(['', '1.5', '0x10', '11', '-11', 'ten', 1.5, Number.NaN])('the number %j is refused', (value) => {
  expect(refusal(() => option.integer('--seed', value, { least: -10, most: 10 }))[0]).toBe(
    `--seed "${value}" is no whole number from -10 to 10`,
  );
});

test.each(['sqlite/', '/file', 'a//b', 'a/b/c/d'])('%j is no engine path', (path) => {
  expect(refusal(() => option.path('--provider', path))).toEqual([
    `--provider "${path}" is no engine path`,
    'write name, name/mode or name/mode/variant',
  ]);
});

test('reporters have names, and json may have a file', () => {
  expect(['console', 'json', 'json=a=b.json'].map((value) => option.reporter('--reporter', value))).toEqual([
    { name: 'console' },
    { name: 'json' },
    { name: 'json', file: 'a=b.json' },
  ]);
});

test.each([
  ['jsn', '--reporter "jsn" is not known', 'did you mean json?'],
  ['json=', '--reporter "json=" names no file', 'write json=report.json'],
  ['console=x', '--reporter "console=x": console writes to the terminal only', undefined],
])('the reporter %j is refused', (value, message, hint) => {
  expect(refusal(() => option.reporter('--reporter', value))).toEqual([message, hint]);
});

const fixtures = `${import.meta.dirname}/fixtures`;

test('a backend is a file, and an export of it', () => {
  const url = pathToFileURL(`${fixtures}/backend.ts`).href;
  expect(option.backend('--backend', './backend.ts', fixtures)).toEqual({ url, export: 'default' });
  expect(option.backend('--backend', 'fixtures/backend.ts#mine', import.meta.dirname)).toEqual({ url, export: 'mine' });
});

test('a file may have a # in its name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-hash-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a#b.ts');
  writeFileSync(file, '');
  const { href: url } = pathToFileURL(file);
  expect(option.backend('--backend', 'a#b.ts', folder)).toEqual({ url, export: 'default' });
  expect(option.backend('--backend', 'a#b.ts#mine', folder)).toEqual({ url, export: 'mine' });
});

test('an address without a password is taken as it is; one with a password is taken from a file', () => {
  const address = 'postgres://me@host:5433/db?sslmode=require';
  expect(option.serverUrl('--url', address, fixtures)).toEqual({ address, named: address });
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-url-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'url'), 'postgres://me:s3cret@host/db\n');
  expect(option.serverUrl('--url', '@url', folder)).toEqual({
    address: 'postgres://me:s3cret@host/db',
    named: `@${relative(process.cwd(), join(folder, 'url'))}`,
  });
});

test.each([
  ['postgres://me:s3cret@host/db', '--url holds a password, which others could read'],
  ['postgres://host/db?password=s3cret', '--url holds a password, which others could read'],
  ['host=db password=s3cret', '--url is no URL'],
  ['@nowhere', `--url "@nowhere": there is no file ${fixtures}/nowhere`],
  ['@../fixtures', `--url "@../fixtures": ${fixtures} is not a file`],
  ['@backend.ts', '--url "@backend.ts" is no URL'],
])('the address %j is refused, and no password is repeated', (address, message) => {
  expect(refusal(() => option.serverUrl('--url', address, fixtures))[0]).toBe(message);
});

test('a missing backend is refused, and a file that is spelt alike is named', () => {
  const [message, hint] = refusal(() => option.backend('--backend', './bakend.ts', fixtures));
  expect(message).toBe(`--backend "./bakend.ts": there is no file ${fixtures}/bakend.ts`);
  expect(hint).toMatch(/^did you mean .*fixtures\/backend\.ts\?$/);
  expect(refusal(() => option.backend('--backend', 'nowhere/at.ts', fixtures))[1]).toBe(
    `there is no folder ${fixtures}/nowhere either`,
  );
  expect(refusal(() => option.backend('--backend', '../fixtures', fixtures))[0]).toContain('is not a file');
  expect(refusal(() => option.backend('--backend', 'backend.ts#', fixtures))[0]).toContain('names no export');
});
