import { bank } from './bank.ts';
import type { BankEntry, Covered } from './entry.ts';

/** How many entries of a group are caught, are left to others, or have nothing that covers them. */
export interface Tally {
  group: string;
  entries: number;
  caught: number;
  /** Of those that are caught, the ones that share the implementation of another. */
  shared: number;
  later: number;
  none: number;
}

/** The tally of every group, and of all of them. */
export function tallies(): Tally[] {
  const groups = Object.entries(bank).map(([group, entries]) => tally(group, entries));
  return [...groups, tally('all', Object.values(bank).flat())];
}

function tally(group: string, entries: readonly BankEntry[]): Tally {
  const count = (is: (covered: Covered) => boolean) => entries.filter(({ covered }) => is(covered)).length;
  return {
    group,
    entries: entries.length,
    caught: count((covered) => 'by' in covered || 'check' in covered),
    shared: count((covered) => 'by' in covered && covered.like !== undefined),
    later: count((covered) => 'later' in covered),
    none: count((covered) => 'none' in covered),
  };
}

/** The bank as a page of Markdown, `docs/bug-bank.md`. */
export function bankAsMarkdown(): string {
  const { entries, caught, shared, later, none } = tallies().at(-1)!;
  const summary = tallies().map(
    (t) => `| ${t.group} | ${t.caught} of ${t.entries} | ${t.shared} | ${t.later} | ${t.none} |`,
  );
  const groups = Object.entries(bank).map(([group, list]) => [
    `## ${group[0]!.toUpperCase()}${group.slice(1)}`,
    '',
    '| id | public report | what goes wrong | what shows it | caught by |',
    '|---|---|---|---|---|',
    ...list.map(
      ({ id, report, fault, trigger, covered }) =>
        `| ${id} | [${report}](${addressOf(report)}) | ${fault} | ${trigger} | ${inWords(covered)} |`,
    ),
    '',
  ]);
  return [
    ...introduction(`${caught} of ${entries}`, caught - shared, later, none),
    '',
    '| group | caught | by the implementation of another | left to others | not covered |',
    '|---|---|---|---|---|',
    ...summary,
    '',
    ...groups.flat(),
  ].join('\n');
}

function introduction(ratio: string, implementations: number, later: number, none: number): string[] {
  return [
    '# Bug bank',
    '',
    'Defects of batch writes that were reported in public. For each that belongs to `send-batch` there is a faulty queue of',
    'the same kind in `contracts/send-batch/bug-bank/`: an honest one with the smallest deviation that brings the defect',
    'about. The test beside it runs the guard named here on the faulty queue, which must be found in violation, and on the',
    'honest one, which must be upheld. A report is cited for the symptom alone: nothing is said of how that project is',
    'written. This page is made by that test from its table.',
    '',
    `${ratio} are caught, by ${implementations} implementations; ${later} are left to other contracts or engines, ${none} are not covered.`,
  ];
}

function addressOf(report: string): string {
  return `https://github.com/${report.replace('#', '/issues/')}`;
}

function inWords(covered: Covered): string {
  if ('later' in covered) return `left to ${covered.later}`;
  if ('none' in covered) return `nothing: ${covered.none}`;
  if ('check' in covered) return 'the ledger of evidence: the check is vacuous';
  const { by, on, like } = covered;
  return [`\`${by}\``, ...(on ? [`on ${on}`] : []), ...(like ? [`(as ${like})`] : [])].join(' ');
}
