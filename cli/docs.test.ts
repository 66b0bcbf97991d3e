import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { extras, offers } from '../contracts/kernel/capabilities.ts';
import { exitCodes } from '../reporters/exit-codes.ts';
import { runCli } from './fixtures/run-cli.ts';

const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8');

test('docs/cli.md has the options of run that the help has', async () => {
  const { stdout } = await runCli(['run', '--help']);
  const helped = [...stdout.matchAll(/^ {2}((?:-\w, )?--[\w-]+(?: <\w+>)?)/gm)].map((match) => match[1]!);
  const documented = [...page.matchAll(/^\| `((?:-\w, )?--[\w-]+(?: <\w+>)?)`/gm)].map((match) => match[1]!);
  expect(documented).toEqual(helped.filter((option) => !option.includes('--help')));
});

test('docs/cli.md has the exit codes in their order', () => {
  const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  expect(documented).toEqual(exitCodes.map(({ code }) => code));
});

test('docs/cli.md names every command and variable that the help names', async () => {
  const { stdout } = await runCli(['--help'], { columns: 120 });
  const commands = [...stdout.matchAll(/^ {2}(run|prove|list|explain|doctor) /gm)].map((match) => match[1]!);
  expect(commands).toEqual(['run', 'prove', 'list', 'explain', 'doctor']);
  for (const command of commands.slice(1)) expect(page).toContain(`\n## ${command}\n`);
  const rows = stdout.slice(stdout.indexOf('Environment:')).matchAll(/^ {2}([A-Z_, ]+?)(?: {2}|$)/gm);
  const variables = [...rows].flatMap((match) => match[1]!.split(', '));
  expect(variables.length).toBeGreaterThan(4);
  for (const name of variables) expect(page).toContain(`\`${name}\``);
});

test('docs/backends.md has a row for every offer and every extra', () => {
  const backends = readFileSync(new URL('../docs/backends.md', import.meta.url), 'utf8');
  const [, rows = ''] = backends.split('\n### Offers and extras\n');
  const documented = [...rows.split('\n#')[0]!.matchAll(/^\| (`[^|]+) \|/gm)].flatMap((match) => match[1]!.split(', '));
  expect(documented.toSorted()).toEqual([...offers, ...extras].map((name) => `\`${name}\``).toSorted());
});
