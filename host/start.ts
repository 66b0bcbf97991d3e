import { connect, type Link, type LinkListener } from './client.ts';
import type { Host, HostKind, HostOptions } from './host.ts';
import { inlineLink } from './inline.ts';
import { processLink } from './process.ts';
import { workerLink } from './worker.ts';

/**
 * How each kind of host is reached. A program in any language would join here as a link that writes requests to its
 * standard input and reads messages from its standard output, one line of JSON each: see docs/protocol.md.
 */
const links: Record<HostKind, (listener: LinkListener) => Link> = {
  worker: workerLink,
  process: processLink,
  inline: inlineLink,
};

/**
 * Starts a host and loads the backend there. Rejects with `HostRefused` when the backend does not load or has not the
 * shape of one, and with `HostEnded` when loading it ends the host.
 */
export function startHost(options: HostOptions): Promise<Host> {
  return connect(options.kind, options, links[options.kind]);
}
