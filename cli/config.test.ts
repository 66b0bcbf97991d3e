import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checked, loadConfig } from './config.ts';
import { defineConfig } from './define-config.ts';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-test-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('without a file everything is left to defaults', async () => {
  const folder = folderWith({});
  expect(await loadConfig(folder, undefined)).toEqual({ config: {}, folder });
});

test('TypeScript is loaded, and comes before JavaScript', async () => {
  const folder = folderWith({
    'contract-test.config.ts': 'const seed: number = 7;\nexport default { seed };\n',
    'contract-test.config.mjs': 'export default { seed: 8 };\n',
  });
  expect(await loadConfig(folder, undefined)).toEqual({ config: { seed: 7 }, folder });
  expect(await loadConfig(folder, 'contract-test.config.mjs')).toEqual({ config: { seed: 8 }, folder });
});

test('a file that was named must be there', async () => {
  await expect(loadConfig(folderWith({}), 'other.ts')).rejects.toThrow('--config "other.ts": there is no file');
});

test('a file that does not load is named, with what is wrong', async () => {
  const broken = folderWith({ 'contract-test.config.mjs': 'export default {{;\n' });
  await expect(loadConfig(broken, undefined)).rejects.toThrow(/contract-test\.config\.mjs does not load: SyntaxError/);
  const empty = folderWith({ 'contract-test.config.mjs': 'export const seed = 1;\n' });
  await expect(loadConfig(empty, undefined)).rejects.toThrow(/has no export 'default'; it exports seed/);
});

test('every option is taken', () => {
  const config = defineConfig({
    provider: ['sqlite/file'],
    url: 'postgres://user@host/database',
    provision: 'url',
    require: ['postgres'],
    backend: './my-queue.ts',
    contract: 'send-batch',
    guard: ['send-batch/*'],
    seed: 1,
    runs: 10,
    timeout: '10s',
    keep: true,
    trace: true,
    host: 'process',
    reporter: ['console', 'json=report.json'],
    strict: true,
    debug: false,
  });
  expect(checked(config, 'config')).toBe(config);
});

test.each([
  [{ provder: 'sqlite' }, 'config: unknown key "provder"', 'did you mean provider?'],
  [{ replay: 'x' }, 'config: unknown key "replay"', /^known: provider, url/],
  [{ seed: '7' }, 'config: seed is "7"', 'it must be a number'],
  [{ provider: [7] }, 'config: provider is [7]', 'it must be a text or a list of texts'],
  [{ strict: 'yes' }, 'config: strict is "yes"', 'it must be true or false'],
  [{ provision: 'docker' }, 'config: provision is "docker"', 'it must be one of embedded, local, url'],
  [{ host: 'thread' }, 'config: host is "thread"', 'it must be one of worker, process, inline'],
  [{ toString: 1 }, 'config: unknown key "toString"', /^known/],
  [7, 'config: the default export is no object', 'write export default defineConfig({ ... })'],
])('%j is refused', (value, message, hint) => {
  expect(() => checked(value, 'config')).toThrow(
    expect.objectContaining({ message, hint: typeof hint === 'string' ? hint : expect.stringMatching(hint) }),
  );
});
