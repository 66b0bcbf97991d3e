// Writes docs/report.schema.json and docs/proof.schema.json anew, after a change of a report's shape.
import { writeFileSync } from 'node:fs';
import { proofSchemaText } from './proof-schema.ts';
import { schemaText } from './schema.ts';

writeFileSync(new URL('../docs/report.schema.json', import.meta.url), schemaText());
writeFileSync(new URL('../docs/proof.schema.json', import.meta.url), proofSchemaText());
