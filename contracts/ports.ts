import type { MaterializeWindowPort } from './materialize-window/port.ts';
import type { SendBatchPort } from './send-batch/port.ts';

/** The operation that each contract judges, by the contract's name. */
export interface Ports {
  'send-batch': SendBatchPort;
  'materialize-window': MaterializeWindowPort;
}
export type ContractName = keyof Ports;
