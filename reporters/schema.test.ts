import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { mixedVerdicts, sampleReport, swappedIds } from './fixtures/sample-report.ts';
import { schemaText } from './schema.ts';

const file = readFileSync(new URL('../docs/report.schema.json', import.meta.url), 'utf8');
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(file));

/** What is left of a report once it has been written and read again. */
function asRead(report: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(report));
}

test('docs/report.schema.json is what the code says', () => {
  expect(JSON.parse(file)).toEqual(JSON.parse(schemaText()));
});

test('a report of every kind of verdict is valid', () => {
  validate(asRead(sampleReport(mixedVerdicts, { exitCode: 1 })));
  expect(validate.errors).toBe(null);
});

test('a report with an absent engine and a trace is valid', () => {
  const absent = [{ provider: 'postgres', reason: 'pg is not installed' }];
  validate(asRead(sampleReport([{ ...swappedIds, trace: ['1 statement'] }], { absent })));
  expect(validate.errors).toBe(null);
});

test('a report of an interrupted run without a verdict is valid', () => {
  validate(asRead(sampleReport([], { exitCode: 130, interrupted: 'SIGINT', firstVerdictMs: null, paths: [] })));
  expect(validate.errors).toBe(null);
});

test.each([
  ['an unknown property of the report', { more: 1 }],
  ['an unknown property of the sums', { summary: { ...sampleReport([]).summary, skipped: 0 } }],
  ['an unknown property of a verdict', { verdicts: [{ ...mixedVerdicts[0], more: 1 }] }],
  ['an unknown verdict', { verdicts: [{ ...mixedVerdicts[0], verdict: 'passed' }] }],
  ['a missing property', { seed: undefined }],
  ['evidence that is neither a number nor a text', { verdicts: [{ ...mixedVerdicts[0], evidence: { rows: null } }] }],
])('%s is refused', (_, over) => {
  expect(validate(asRead({ ...sampleReport([]), ...over }))).toBe(false);
});
