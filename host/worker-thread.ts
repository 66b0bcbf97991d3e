// The thread of a worker host.
import { parentPort } from 'node:worker_threads';
import { becomeHost } from './resident.ts';

parentPort!.on(
  'message',
  becomeHost((message) => parentPort!.postMessage(message)),
);
