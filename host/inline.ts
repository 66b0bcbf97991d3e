import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import type { Link, LinkListener } from './client.ts';
import { createServer } from './server.ts';

/** Set in whatever a subject set going. */
const bySubject = new AsyncLocalStorage<true>();
let hosts = 0;
let realExit: typeof process.exit;

/**
 * A host in the judge's own thread, for breakpoints and for mutation runs. Console output and stray errors are the
 * judge's own there, and a subject that loops cannot be ended.
 */
export function inlineLink(listener: LinkListener): Link {
  const server = createServer(listener.message);
  let ended = false;
  if (hosts === 0) guardExit();
  hosts += 1;
  return {
    // After a turn of the event loop: an interrupt, or a deadline that has passed, is heard there only.
    send: (request) => void setImmediate(() => bySubject.run(true, () => server.handle(request))),
    end: async () => {
      if (ended) return;
      ended = true;
      hosts -= 1;
      if (hosts === 0) setExit(realExit);
    },
  };
}

/** A subject that ends its process would end the judge, with an exit code that says nothing of what was judged. */
function guardExit(): void {
  realExit = process.exit;
  setExit((code) => {
    if (!bySubject.getStore()) return realExit.call(process, code);
    const error = new Error(`process.exit(${code ?? ''}) would end the judge, in whose thread the subject runs`);
    error.name = 'ProcessExit';
    throw error;
  });
}

function setExit(exit: typeof process.exit): void {
  process.exit = exit;
  syncBuiltinESMExports();
}
