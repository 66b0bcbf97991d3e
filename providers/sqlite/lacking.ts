import type { EngineFacts } from '../../contracts/kernel/capabilities.ts';
import { type Fault, meansOf } from '../../contracts/kernel/engine.ts';
import { rowFaults } from './traps.ts';

/** What SQLite lacks for a fault, in words; undefined where it can be armed. */
export function whatIsLacking({ lacks }: EngineFacts, fault: Fault): string | undefined {
  if (fault.at === 'row' && !rowFaults.includes(fault.kind)) {
    return `SQLite has no way to fail any row by ${fault.kind}`;
  }
  return lacks[fault.at === 'identity' && fault.step !== 1 ? 'identityStep' : meansOf[fault.at]];
}
