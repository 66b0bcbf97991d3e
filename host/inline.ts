import type { Link, LinkListener } from './client.ts';
import { createServer } from './server.ts';

/**
 * A host in the judge's own thread, for breakpoints and for mutation runs. Console output and stray errors are the
 * judge's own there, and a subject that loops cannot be ended.
 */
export function inlineLink(listener: LinkListener): Link {
  const server = createServer(listener.message);
  return {
    send: (request) => void server.handle(request),
    end: async () => {},
  };
}
