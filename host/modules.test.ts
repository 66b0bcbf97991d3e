import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostFor, ownThread } from './fixtures/test-hosts.ts';
import { loaderFor } from './modules.ts';

describe('loaderFor', () => {
  const toolkit = 'file:///toolkit/';
  const own = { tsx: true, stripping: true, toolkit };

  test.each([
    ['file:///app/b.js', own, 'plain'],
    ['file:///app/b.mjs', { ...own, tsx: false, stripping: false }, 'plain'],
    ['file:///app/b.cjs', own, 'plain'],
    ['file:///app/b.ts', own, 'tsx'],
    ['file:///app/b.mts', own, 'tsx'],
    ['file:///app/b.cts', { ...own, stripping: false }, 'tsx'],
    ['file:///app/b.ts', { ...own, tsx: false }, 'node'],
    ['file:///toolkit/b.ts', own, 'node'],
    ['file:///toolkit/b.ts', { ...own, stripping: false }, 'tsx'],
    ['file:///toolkit/b.tsx', own, 'tsx'],
  ])('%s with %o: %s', (url, means, loader) => {
    expect(loaderFor(url, means)).toBe(loader);
  });

  test.each(['file:///app/b.ts', 'file:///toolkit/b.ts'])('%s without any means says what to install', (url) => {
    expect(() => loaderFor(url, { ...own, tsx: false, stripping: false })).toThrow(/b\.ts is TypeScript.*install tsx/);
  });

  test('Node strips no JSX', () => {
    expect(() => loaderFor('file:///app/b.tsx', { ...own, tsx: false })).toThrow(/install tsx/);
  });
});

describe.each(ownThread)('a %s host loads a backend outside the toolkit', (kind) => {
  const definition = `{
    name: NAME, provider: 'none', 'send-batch': { open: () => ({ sendBatch: () => [] }), rows: 'x' },
  }`;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'contract-test-host-'));
    await mkdir(join(folder, 'esm'));
    await writeFile(join(folder, 'esm', 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'part.ts'), "export enum Part { Other = 'part' }");
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ['JavaScript', 'plain.mjs', `export default ${definition.replace('NAME', "'plain'")}`, 'plain'],
    ['a name that a URL has to escape', 'a#b?c %d.mjs', `export default ${definition.replace('NAME', "'odd'")}`, 'odd'],
    ['CommonJS', 'common.cjs', `module.exports = ${definition.replace('NAME', "'common'")}`, 'common'],
    [
      'CommonJS that was ESM',
      'compiled.js',
      `Object.defineProperty(exports, '__esModule', { value: true });
       exports.default = ${definition.replace('NAME', "'compiled'")};`,
      'compiled',
    ],
    [
      'TypeScript that only tsx understands',
      'esm/enum.ts',
      `enum Name { It = 'of an enum' }\nexport default ${definition.replace('NAME', 'Name.It')}`,
      'of an enum',
    ],
    [
      'TypeScript in a CommonJS package',
      'common.ts',
      `import { sep } from 'path';
       import { Part } from './part';
       enum Name { It = 'cts' }
       export default ${definition.replace('NAME', 'Name.It + sep + Part.Other')}`,
      'cts/part',
    ],
  ])('%s', async (_, file, source, name) => {
    const path = join(folder, file);
    await writeFile(path, source);
    const host = await hostFor(kind, '', { backend: { url: pathToFileURL(path).href, export: 'default' } });
    expect(host.manifest.name).toBe(name);
  });

  test('a backslash in the path is refused by name, since Node refuses it', async () => {
    const path = join(folder, 'a\\b.mjs');
    await writeFile(path, 'export default 1');
    const backend = { url: pathToFileURL(path).href, export: 'default' };
    await expect(hostFor(kind, '', { backend })).rejects.toThrow('takes no module with a backslash in its path');
  });

  test.each([
    ['an ESM package', 'esm/own-name.ts'],
    ['a CommonJS package', 'own-name.ts'],
  ])('TypeScript in %s shares the toolkit with the provider agent', async (_, file) => {
    // A memory store is one only when the agent and the backend see the same module.
    const source = `import { UnsupportedOption } from 'contract-test';
      enum Name { Same = 'same', Other = 'other' }
      const name: Name = globalThis.toolkitOfAgent === UnsupportedOption ? Name.Same : Name.Other;
      export default ${definition.replace('NAME', 'name')}`;
    const path = join(folder, file);
    await writeFile(path, source);
    const agents = { none: new URL('./fixtures/agent.ts', import.meta.url).href };
    const host = await hostFor(kind, '', { agents, backend: { url: pathToFileURL(path).href, export: 'default' } });
    expect(host.manifest.name).toBe('same');
  });
});
