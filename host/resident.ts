import { captureConsole } from './console.ts';
import { failureOf } from './failure.ts';
import type { HostMessage, Request } from './protocol.ts';
import { createServer } from './server.ts';
import { trackTimers } from './timers.ts';

/**
 * Makes this thread or process a host, before anything of the subject loads. Returns what handles a request.
 * `say` must carry a message out at once, without waiting for the event loop.
 */
export function becomeHost(say: (message: HostMessage) => void): (request: Request) => void {
  trackTimers();
  const console = captureConsole(say);
  const stray = (error: unknown) => say({ event: 'stray', failure: failureOf(error) });
  process.on('uncaughtException', stray);
  process.on('unhandledRejection', stray);
  process.on('exit', console.flush);
  const server = createServer((message) => {
    console.flush();
    say(message);
  });
  return (request) => void server.handle(request);
}
