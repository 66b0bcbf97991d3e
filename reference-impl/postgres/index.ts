import { defineBackend } from '../../index.ts';
import { copy } from './send-batch-copy.ts';
import { loop } from './send-batch-loop.ts';
import { procedure } from './send-batch-procedure.ts';
import { unnest } from './send-batch-unnest.ts';
import { values } from './send-batch-values.ts';

export default defineBackend({
  name: 'postgres',
  provider: 'postgres',
  variants: {
    unnest: { 'send-batch': unnest },
    values: { 'send-batch': values },
    copy: { 'send-batch': copy },
    procedure: { 'send-batch': procedure },
    loop: { 'send-batch': loop },
  },
});
