import { defineBackend } from '../../index.ts';
import { sendBatch } from './send-batch.ts';

export default defineBackend({ name: 'memory', provider: 'memory', 'send-batch': sendBatch });
