import { defineBackend } from '../../index.ts';
import { plain as plainWindows } from './materialize-window-plain.ts';
import { refusingDisorder } from './materialize-window-refuse-disorder.ts';
import { slotBySlot } from './materialize-window-slot-by-slot.ts';
import { everything } from './send-batch-everything.ts';
import { pipeline } from './send-batch-pipeline.ts';
import { plain } from './send-batch-plain.ts';
import { refuseDuplicates } from './send-batch-refuse-duplicates.ts';
import { replaceDuplicates } from './send-batch-replace-duplicates.ts';

export default defineBackend({
  name: 'memory',
  provider: 'memory',
  variants: {
    plain: { 'send-batch': plain, 'materialize-window': plainWindows },
    everything: { 'send-batch': everything },
    'replace-duplicates': { 'send-batch': replaceDuplicates },
    'refuse-duplicates': { 'send-batch': refuseDuplicates },
    pipeline: { 'send-batch': pipeline },
    'refuse-disorder': { 'materialize-window': refusingDisorder },
    'slot-by-slot': { 'materialize-window': slotBySlot },
  },
});
