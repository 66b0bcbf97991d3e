import { defineBackend } from '../../index.ts';
import { jsonEach as windowsByJsonEach } from './materialize-window-json-each.ts';
import { loop as windowsByLoop } from './materialize-window-loop.ts';
import { optimistic } from './materialize-window-optimistic.ts';
import { jsonEach } from './send-batch-json-each.ts';
import { loop } from './send-batch-loop.ts';
import { prepared } from './send-batch-prepared.ts';
import { values } from './send-batch-values.ts';

export default defineBackend({
  name: 'sqlite',
  provider: 'sqlite',
  variants: {
    prepared: { 'send-batch': prepared },
    'json-each': { 'send-batch': jsonEach, 'materialize-window': windowsByJsonEach },
    values: { 'send-batch': values },
    loop: { 'send-batch': loop, 'materialize-window': windowsByLoop },
    optimistic: { 'materialize-window': optimistic },
  },
});
