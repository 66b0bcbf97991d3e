import type { World } from '../contracts/kernel/guard.ts';
import { connect, type Link, type LinkListener } from './client.ts';
import type { Host, HostKind, HostOptions } from './host.ts';
import { inlineLink } from './inline.ts';
import { processLink } from './process.ts';
import { workerLink } from './worker.ts';

/**
 * How each kind of host is reached. A program in any language would join here as a link that writes requests to its
 * standard input and reads messages from its standard output, one line of JSON each: see docs/protocol.md.
 */
const links: Record<HostKind, (listener: LinkListener, world: World) => Link> = {
  worker: workerLink,
  process: processLink,
  inline: inlineLink,
};

/**
 * Starts a host and loads the backend there. Rejects with `HostRefused` when the backend does not load or has not the
 * shape of one, and with `HostEnded` when loading it ends the host.
 */
export function startHost(options: HostOptions): Promise<Host> {
  const world = options.world ?? {};
  // Only a process has a time zone, and a clock that was moved in the judge's thread would be the judge's.
  const kind = world.zone === undefined ? options.kind : 'process';
  if (kind === 'inline' && (world.clockShift || world.clockStandsAt !== undefined))
    throw new Error('an inline host has the clock of the judge');
  return connect(kind, options, (listener) => links[kind](listener, world));
}
