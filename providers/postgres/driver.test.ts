import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { loadDriver } from './driver.ts';

it('loads pg', async () => {
  expect((await loadDriver()).Client).toBeTypeOf('function');
});

it('says what to install where pg is missing', () => {
  // A process in which nothing called pg is found.
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (name, context, next) => next(name === 'pg' ? 'no-such-package' : name, context),
    });
    const { loadDriver } = await import(${JSON.stringify(new URL('./driver.ts', import.meta.url).href)});
    await loadDriver().catch(({ name, message }) => console.log(name + ': ' + message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect(said.trim()).toBe(
    'EngineUnavailable: the npm package pg is not installed, by which PostgreSQL is read; npm install --save-dev pg',
  );
});
