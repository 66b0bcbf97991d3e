// The process of a process host.
import type { Request } from './protocol.ts';
import { becomeHost } from './resident.ts';

const handle = becomeHost((message) => process.send!(message));
process.on('message', (request) => handle(request as Request));
// The judge is gone: nobody will end this process any more.
process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole process group; the judge ends its hosts itself, in order.
process.on('SIGINT', () => {});
