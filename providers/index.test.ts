import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findProvider, providers } from './index.ts';
import { siblingModule } from './sibling-module.ts';

it('finds a provider by its name', () => {
  expect(findProvider('sqlite')?.modes).toEqual(['file', 'memory', 'shared']);
  expect(findProvider('memory')?.modes).toEqual(['memory']);
  expect(findProvider('oracle')).toBeUndefined();
  expect(new Set(providers.map((p) => p.name)).size).toBe(providers.length);
});

it.each(providers.map((p) => [p.name, p] as const))('%s: its agent is a module that can be loaded', async (_, p) => {
  expect(existsSync(p.agent!)).toBe(true);
  const { agent } = (await import(p.agent!.href)) as { agent: object };
  expect(Object.keys(agent)).toEqual(['call', 'hand']);
});

it.each(providers.map((p) => [p.name, p] as const))('%s: starts, leases every mode, and stops', async (name, p) => {
  const engine = await p.start({});
  for (const mode of p.modes) {
    const lease = await engine.lease({ mode });
    expect(lease.site).toMatchObject({ provider: name, mode });
    await lease.release();
  }
  await engine.stop();
});

it('an address is refused by an engine that has none', async () => {
  await expect(findProvider('sqlite')!.start({ url: 'sqlite://x' })).rejects.toMatchObject({
    name: 'EngineUnavailable',
  });
});

it('a sibling module has the extension of the module that asks', () => {
  expect(siblingModule('agent', 'file:///a/index.ts').href).toBe('file:///a/agent.ts');
  expect(siblingModule('agent', 'file:///a/index.js').href).toBe('file:///a/agent.js');
});
