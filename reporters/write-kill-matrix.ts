// Writes docs/kill-matrix.md from a proof that was written as JSON: node reporters/write-kill-matrix.ts <proof.json>
import { readFileSync, writeFileSync } from 'node:fs';
import { killMatrix } from './kill-matrix.ts';

writeFileSync(
  new URL('../docs/kill-matrix.md', import.meta.url),
  killMatrix(JSON.parse(readFileSync(process.argv[2]!, 'utf8'))),
);
