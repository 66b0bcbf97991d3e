import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a file imports: a path from the root for a file of this project, else the name of a package. */
function importsOf(file: string): string[] {
  const text = readFileSync(resolve(root, file), 'utf8');
  const found = text.matchAll(/(?:^(?:import|export)\b[^'";]*\bfrom |^import |\bimport\()'([^']+)'/gm);
  return [...found].map(([, target]) =>
    target!.startsWith('.') ? relative(root, resolve(root, dirname(file), target!)) : target!,
  );
}

function filesIn(folder: string): string[] {
  const files = globSync(`${folder}/**/*.ts`, { cwd: root });
  expect(files.length).toBeGreaterThan(0);
  return files;
}

/** What tests are written with: packages, built-in modules, the toolkit's suites for Vitest, and its servers. */
const testTools =
  /^(vitest|fast-check|node:(events|fs|net|os|path|url|util)|integrations\/vitest\.ts|providers\/provision\/index\.ts)$/;
const isTest = (file: string) => file.endsWith('.test.ts') || file.includes('/fixtures/');

test('reference-impl imports only the public API, drivers and itself, as an outside author would', () => {
  const allowed = /^(index\.ts|memory\.ts|reference-impl\/.*|node:async_hooks|node:sqlite|pg)$/;
  for (const file of filesIn('reference-impl')) {
    const others = importsOf(file).filter(
      (target) => !allowed.test(target) && !(isTest(file) && testTools.test(target)),
    );
    expect(others, file).toEqual([]);
  }
});

test('contracts imports no other folder, but for the subjects of its tests', () => {
  for (const file of filesIn('contracts')) {
    if (isTest(file)) continue;
    const others = importsOf(file).filter((target) => !/^(contracts\/.*|fast-check|node:[\w/]+)$/.test(target));
    expect(others, file).toEqual([]);
  }
});

test('the check sees every way of importing', () => {
  expect(importsOf('reference-impl/sqlite/send-batch-prepared.ts')).toEqual([
    'reference-impl/sqlite/insert-one.ts',
    'reference-impl/sqlite/sender.ts',
  ]);
  expect(importsOf('reference-impl/sqlite/connection.ts')).toContain('node:sqlite');
});
