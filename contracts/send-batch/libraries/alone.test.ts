import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from '../../../providers/postgres/index.ts';
import type { Engine } from '../../../providers/provider.ts';
import type { PostgresSite } from '../../../providers/sites.ts';
import { shown } from './fixtures/alone/index.ts';
import type { Address } from './fixtures/alone/server.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

async function withAddress<T>(use: (address: Address) => Promise<T>): Promise<T> {
  const lease = await engine.lease({ mode: 'direct' });
  const { url, schema } = lease.site as PostgresSite;
  try {
    return await use({ connectionString: url, schema });
  } finally {
    await lease.release();
  }
}

describe.each(Object.entries(shown))('%s alone', (_name, findings) => {
  it.each(Object.entries(findings))('%s', async (_guard, show) => {
    expect.hasAssertions();
    await withAddress((here) => withAddress((there) => show(here, there)));
  });
});
