import { urlVariable } from '../providers/provision/url.ts';
import { exitCodes } from '../reporters/exit-codes.ts';
import { paragraph } from '../reporters/text.ts';

const examples: [command: string, what: string][] = [
  ['npx contract-test', 'the built-in backends on memory and sqlite'],
  ['npx contract-test --provider postgres', 'on a real server, started for the run'],
  ['npx contract-test --backend ./my-queue.ts', 'your own backend'],
  ['npx contract-test -p sqlite/file -g "send-batch/ids-*"', 'some guards on one engine path'],
  ['npx contract-test -r console -r json=report.json', 'for people, and for programs'],
  ['npx contract-test prove --backend ./my-queue.ts', 'whether the guards find mutants of it'],
  ['npx contract-test explain ids-in-caller-order', 'what a guard asks for'],
];

const environment: [name: string, what: string][] = [
  [urlVariable, 'address of a PostgreSQL server; may hold a password'],
  ['NO_COLOR, FORCE_COLOR', 'without colours; with colours, on a pipe too'],
  ['COLUMNS', 'width of the report where it does not go to a terminal'],
  ['LC_ALL, LC_CTYPE, LANG', 'plain ASCII where they name no UTF-8 locale'],
  ['CI', 'no line that is written over'],
];

/** What the help says below the options: examples, exit codes, environment. */
export function helpEnd(width: number): string[] {
  const pairs = (entries: [string, string][], left: number) =>
    entries.flatMap(([name, what]) =>
      left + 30 > width || name.length > left
        ? [`  ${name}`, ...paragraph('      ', what, width)]
        : paragraph(`  ${name.padEnd(left)}  `, what, width),
    );
  return [
    'Examples:',
    ...pairs(examples, 56),
    '',
    'Exit codes, the first that applies:',
    ...exitCodes.flatMap(({ code, meaning }) => paragraph(`  ${String(code).padStart(3)}  `, meaning, width)),
    '',
    'Environment:',
    ...pairs(environment, 26),
  ];
}
