import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Host, HostKind, HostOptions } from './host.ts';
import { startHost } from './start.ts';

export const kinds: HostKind[] = ['worker', 'process', 'inline'];
/** The kinds that keep a subject out of the judge's thread. */
export const ownThread: HostKind[] = ['worker', 'process'];

export const site = { provider: 'none', mode: 'm' };

const started: Host[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((host) => host.terminate()));
});

/** A host for a fixture, ended after the test. */
export async function hostFor(kind: HostKind, fixture: string, more: Partial<HostOptions> = {}): Promise<Host> {
  const host = await startFixture(kind, fixture, more);
  started.push(host);
  return host;
}

/** One host for all tests of a block that leave it alive, ended after the last. */
export function sharedHost(kind: HostKind, fixture: string): () => Host {
  let host: Host;
  beforeAll(async () => {
    host = await startFixture(kind, fixture, {});
  });
  afterAll(() => host.terminate());
  return () => host;
}

function startFixture(kind: HostKind, fixture: string, more: Partial<HostOptions>): Promise<Host> {
  const backend = { url: new URL(`./fixtures/${fixture}.ts`, import.meta.url).href, export: 'default' };
  return startHost({ kind, backend, agents: {}, ...more });
}

/** A subject of a fixture. */
export function openSubject(host: Host, variant: string, more: { mutants?: string[] } = {}) {
  return host.open({ as: 'subject', variant, contract: 'send-batch', site, ...more });
}
