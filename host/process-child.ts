// The process of a process host.
import { Worker } from 'node:worker_threads';
import type { Request } from './protocol.ts';
import { becomeHost } from './resident.ts';

const handle = becomeHost((message) => process.send!(message));
process.on('message', (request) => handle(request as Request));
// When the judge is gone, nobody will end this process any more.
process.on('disconnect', () => process.exit());
// A subject that loops hears nothing of that; this thread does, wherever an orphan gets another parent.
const watchJudge = `
  const judge = ${process.ppid};
  setInterval(() => process.ppid === judge || process.kill(process.pid, 'SIGKILL'), 500);
`;
new Worker(watchJudge, { eval: true, execArgv: [] }).unref();
// Ctrl-C reaches the whole process group; the judge ends its hosts itself, in order.
process.on('SIGINT', () => {});
