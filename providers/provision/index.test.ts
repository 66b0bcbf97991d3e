import { afterEach, expect, it, vi } from 'vitest';
import { EngineUnavailable } from '../provider.ts';
import { firstOf, provisionPostgres } from './index.ts';
import { serverAt, urlVariable } from './url.ts';

afterEach(() => vi.unstubAllEnvs());

const url = 'postgres://someone:secret@db.example/theirs';

it('takes a server by its address when one is given, by the caller before the environment', async () => {
  vi.stubEnv(urlVariable, url);
  expect(await provisionPostgres({})).toMatchObject({ way: 'url', own: undefined, address: { host: 'db.example' } });
  const given = await provisionPostgres({ url: 'postgres://other/theirs', provision: 'url' });
  expect(given.address.host).toBe('other');
  await given.stop();
});

it('starts one of its own when that is asked for, whatever address there is', async () => {
  vi.stubEnv(urlVariable, url);
  const server = await provisionPostgres({ provision: 'embedded' });
  expect(server.way).toBe('embedded');
  await server.stop();
});

it('starts one of its own when there is no address', async () => {
  vi.stubEnv(urlVariable, '');
  const server = await provisionPostgres({});
  expect(server.own).toBeDefined();
  await server.stop();
});

it('says what to set when the address is missing', async () => {
  vi.stubEnv(urlVariable, '');
  await expect(provisionPostgres({ provision: 'url' })).rejects.toMatchObject({
    name: 'EngineUnavailable',
    message: `no address was given: set ${urlVariable}=postgres://user:password@host/database`,
  });
});

it('goes on to the next way when one cannot be gone, and tells all reasons when none can', async () => {
  const cannot = (reason: string) => async () => {
    throw new EngineUnavailable(reason);
  };
  const server = serverAt(url);
  expect(await firstOf([cannot('no npm'), async () => server])).toBe(server);
  await expect(firstOf([cannot('no npm'), cannot('no Debian')])).rejects.toMatchObject({
    name: 'EngineUnavailable',
    message: 'no PostgreSQL server can be had: no npm. no Debian',
  });
  const broken = async () => {
    throw new TypeError('a fault of ours');
  };
  await expect(firstOf([broken, async () => server])).rejects.toThrow('a fault of ours');
});
