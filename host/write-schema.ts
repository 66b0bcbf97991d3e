// Writes docs/protocol.schema.json anew, after a change of the protocol.
import { writeFileSync } from 'node:fs';
import { schemaText } from './schema.ts';

writeFileSync(new URL('../docs/protocol.schema.json', import.meta.url), schemaText());
