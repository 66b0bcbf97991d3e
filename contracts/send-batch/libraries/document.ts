import { sendBatch } from '../index.ts';
import { appliesToNone, type LibraryRecord, libraries } from './record.ts';

/** The one guard that is never judged with the others: it sends 200,000 messages. */
export const costly = 'no-cliff-at-large-sizes';

const judged = sendBatch.guards.filter(({ id }) => !id.endsWith(`/${costly}`));
const levels = new Map(judged.map(({ id, level }) => [id.split('/')[1]!, level]));

/** The record of the libraries as a page of Markdown, `docs/libraries.md`. */
export function librariesAsMarkdown(): string {
  const all = Object.entries(libraries);
  return [
    ...introduction,
    '',
    '| library | version | upheld | violated (must) | violated (should) | not applicable | seconds |',
    '|---|---|---|---|---|---|---|',
    ...all.map(
      ([name, library]) => `| [${name}](#${name}) | ${library.version} | ${counts(library)} | ${library.seconds} |`,
    ),
    '',
    ...all.flatMap(([name, library]) => section(name, library)),
    '## Not applicable to any of them',
    '',
    ...reasons(appliesToNone),
    '',
  ].join('\n');
}

const introduction = [
  '# Libraries',
  '',
  'Six libraries of npm, judged by adapters of some sixty lines that use the call which each documents for a batch, on a',
  'real PostgreSQL 18. A verdict holds for the version, the call and the adapter that are named here, and for nothing',
  'else; many a rule is one that the library does not promise. What is violated is shown a second time by the library',
  'alone, in a few lines without this toolkit, and both are tests:',
  '',
  '```sh',
  'npx vitest run contracts/send-batch/libraries                                # what is violated, and the core',
  'CONTRACT_TEST_LIBRARIES=all npx vitest run contracts/send-batch/libraries    # everything',
  '```',
  '',
  'The adapters are in `contracts/send-batch/libraries/fixtures/`, what the libraries do alone is in `fixtures/alone/`, and',
  'the record from which this page is made in `contracts/send-batch/libraries/record.ts`. Any one of them is judged by',
  '`npx contract-test --provider postgres --backend contracts/send-batch/libraries/fixtures/knex.ts`.',
  `\`${costly}\`, which sends 200,000 messages, is judged by that command alone and not counted here.`,
  '',
  'Knex, Drizzle and Sequelize write to a table of the user, of which the adapters have one; the other three have tables of',
  'their own. BullMQ is judged on its PostgreSQL backend, not on Redis; graphile-worker marks addJobs as experimental.',
  '"Varies" means that it depends on who is first whether the rule is broken. The seconds are those of one run of',
  'all guards with `--runs 5`, on two cores that had much else to do.',
];

function section(name: string, { batch, docs, notOffered, violated, notApplicable }: LibraryRecord): string[] {
  return [
    `## ${name}`,
    '',
    `[\`${batch}\`](${docs})`,
    '',
    '| guard | level | verdict | what is seen |',
    '|---|---|---|---|',
    ...Object.entries(violated).map(
      ([guard, { what, varies }]) =>
        `| \`${guard}\` | ${levels.get(guard)} | ${varies ? 'varies' : 'violated'} | ${what} |`,
    ),
    '',
    'Not offered:',
    '',
    ...Object.entries(notOffered).map(([offer, reason]) => `- \`${offer}\`: ${reason}`),
    '',
    'Not applicable, beside those at the end of this page:',
    '',
    ...reasons(notApplicable),
    '',
  ];
}

function reasons(guards: Record<string, string[]>): string[] {
  return Object.entries(guards).map(([reason, ids]) => `- ${reason}: ${ids.map((id) => `\`${id}\``).join(', ')}`);
}

function counts({ violated, notApplicable }: LibraryRecord): string {
  const not = [...Object.values(notApplicable), ...Object.values(appliesToNone)].flat().length;
  const red = Object.keys(violated);
  const musts = red.filter((guard) => levels.get(guard) === 'must').length;
  return [judged.length - not - red.length, musts, red.length - musts, not].join(' | ');
}
