import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { sampleProof, sampleTrial } from './fixtures/sample-proof.ts';
import { proofSchemaText } from './proof-schema.ts';

const file = readFileSync(new URL('../docs/proof.schema.json', import.meta.url), 'utf8');
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(JSON.parse(file));
const asRead = (proof: unknown): unknown => JSON.parse(JSON.stringify(proof));

test('docs/proof.schema.json is what the code says', () => {
  expect(JSON.parse(file)).toEqual(JSON.parse(proofSchemaText()));
});

test('a proof with a survivor is valid', () => {
  validate(asRead(sampleProof([sampleTrial(), sampleTrial({ status: 'survived', verdict: 'upheld', message: null })])));
  expect(validate.errors).toBe(null);
});

test.each([
  ['an unknown property of the proof', { more: 1 }],
  ['an unknown status', { trials: [{ ...sampleTrial(), status: 'lost' }] }],
  ['an unknown property of a trial', { trials: [{ ...sampleTrial(), more: 1 }] }],
  ['an unknown status in the sums', { summary: { ...sampleProof([]).summary, lost: 1 } }],
  ['a missing property', { seed: undefined }],
])('%s is refused', (_, over) => {
  expect(validate(asRead({ ...sampleProof([]), ...over }))).toBe(false);
});
