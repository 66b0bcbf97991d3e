import { type EngineOptions, EngineUnavailable } from '../provider.ts';
import { startEmbedded } from './embedded.ts';
import { startLocal } from './local.ts';
import type { Server } from './server.ts';
import { serverAt, urlVariable } from './url.ts';

/** Gets a PostgreSQL server, by the way that was chosen or else by the first that works. */
export async function provisionPostgres({ url, provision }: EngineOptions): Promise<Server> {
  const address = url ?? process.env[urlVariable];
  if (provision === 'embedded') return startEmbedded();
  if (provision === 'local') return startLocal();
  if (address) return serverAt(address);
  if (provision === 'url') {
    throw new EngineUnavailable(`no address was given: set ${urlVariable}=postgres://user:password@host/database`);
  }
  return firstOf([startEmbedded, startLocal]);
}

/** The first server that can be had; when none can, the reasons of all. */
export async function firstOf(starts: (() => Promise<Server>)[]): Promise<Server> {
  const reasons: string[] = [];
  for (const start of starts) {
    try {
      return await start();
    } catch (cause) {
      if (!(cause instanceof EngineUnavailable)) throw cause;
      reasons.push(cause.message);
    }
  }
  throw new EngineUnavailable(`no PostgreSQL server can be had: ${reasons.join('. ')}`);
}
