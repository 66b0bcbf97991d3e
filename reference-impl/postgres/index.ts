import { defineBackend } from '../../index.ts';
import { loop as loopWindows } from './materialize-window-loop.ts';
import { optimistic } from './materialize-window-optimistic.ts';
import { procedure as procedureWindows } from './materialize-window-procedure.ts';
import { unnest as unnestWindows } from './materialize-window-unnest.ts';
import { copy } from './send-batch-copy.ts';
import { loop } from './send-batch-loop.ts';
import { procedure } from './send-batch-procedure.ts';
import { unnest } from './send-batch-unnest.ts';
import { values } from './send-batch-values.ts';

export default defineBackend({
  name: 'postgres',
  provider: 'postgres',
  variants: {
    unnest: { 'send-batch': unnest, 'materialize-window': unnestWindows },
    values: { 'send-batch': values },
    copy: { 'send-batch': copy },
    procedure: { 'send-batch': procedure, 'materialize-window': procedureWindows },
    loop: { 'send-batch': loop, 'materialize-window': loopWindows },
    optimistic: { 'materialize-window': optimistic },
  },
});
