// Writes docs/report.schema.json anew, after a change of the report's shape.
import { writeFileSync } from 'node:fs';
import { schemaText } from './schema.ts';

writeFileSync(new URL('../docs/report.schema.json', import.meta.url), schemaText());
