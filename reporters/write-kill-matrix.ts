// Writes docs/kill-matrix.md from a proof that was written as JSON, or from several about different paths:
// node reporters/write-kill-matrix.ts <proof.json>...
import { readFileSync, writeFileSync } from 'node:fs';
import type { Proof } from '../runner/proof.ts';
import { killMatrix } from './kill-matrix.ts';

const proofs = process.argv.slice(2).map((file): Proof => JSON.parse(readFileSync(file, 'utf8')));
const whole = {
  ...proofs[0]!,
  paths: proofs.flatMap(({ paths }) => paths),
  trials: proofs.flatMap(({ trials }) => trials),
};
writeFileSync(new URL('../docs/kill-matrix.md', import.meta.url), killMatrix(whole));
