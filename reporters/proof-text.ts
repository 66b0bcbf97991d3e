import type { Proof, Trial, TrialStatus } from '../runner/proof.ts';
import { uncontrolledMusts } from '../runner/prove-conclusion.ts';
import { renderAbsent } from './engine.ts';
import { paint, type Style, sign, type Terminal } from './terminal.ts';
import { beside, counted, duration, grouped, indented, pad, paragraph, visible } from './text.ts';

const bad: readonly TrialStatus[] = [
  'survived',
  'accidental',
  'control-killed',
  'uncontrolled',
  'crashed',
  'timed-out',
];

/** Whether a trial did not end as it should, for a reason of its own. */
export function isProofFinding({ status, role }: Trial): boolean {
  // What the guard does to the controls is told once, not again for every mutant.
  return bad.includes(status) && !(status === 'uncontrolled' && role !== 'control');
}

/** A trial that did not end as it should, in one line where there is room, as it comes. */
export function renderTrialLine(trial: Trial, terminal: Terminal): string[] {
  const head = `${sign(terminal, 'bad')} ${trial.status.toUpperCase()}`;
  const who = trial.status === 'uncontrolled' ? 'the backend itself' : trial.mutant;
  const text = visible(`${who} before ${trial.guard} on ${trial.path}`, terminal);
  const [first, ...rest] = paragraph(`${head}  `, text, terminal.width);
  return [paint(terminal, 'red', head) + first!.slice(head.length), ...rest];
}

/** All of a proof that is left to be told at its end. */
export function renderProof(proof: Proof, terminal: Terminal): string[] {
  const blocks = [
    guardTable(proof, terminal),
    notApplicableLines(proof, terminal),
    mayBeInertLines(proof, terminal),
    ...proof.trials.filter(isProofFinding).map((trial) => finding(proof, trial, terminal)),
    inertLines(proof, terminal),
    proof.absent.flatMap((engine) => renderAbsent(engine, terminal)),
    sums(proof, terminal),
  ];
  return blocks.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
}

/** Every guard with the mutants that are aimed at it, and on how many paths each fared how. */
function guardTable(proof: Proof, terminal: Terminal): string[] {
  const width = Math.max(0, ...proof.guards.flatMap(({ mutants }) => mutants.map((mutant) => mutant.length)));
  return proof.guards
    .filter(({ applies }) => applies > 0)
    .flatMap(({ guard, mutants, idle }) => [
      paint(terminal, 'bold', visible(guard, terminal)),
      ...mutants.flatMap((mutant) => {
        const name = pad(mutant, width);
        const plain = fared(proof, guard, mutant, { ...terminal, colour: false });
        const shown = fared(proof, guard, mutant, terminal);
        return indented(beside([name, plain], [name, shown], terminal.width - 2));
      }),
      ...(idle ? [paint(terminal, 'red', `  ${sign(terminal, 'bad')} IDLE  no mutant is aimed at it`)] : []),
    ]);
}

function fared(proof: Proof, guard: string, mutant: string, terminal: Terminal): string {
  const trials = proof.trials.filter((t) => t.guard === guard && t.mutant === mutant);
  if (trials.length === 0) return paint(terminal, 'dim', 'not tried');
  return [...new Set(trials.map(({ status }) => status))]
    .map((status) => {
      const paths = trials.filter((t) => t.status === status).map(({ path }) => path);
      const all = paths.length === trials.length;
      const many = all ? counted(paths.length, 'path') : `${paths.length} of ${trials.length}`;
      const named = status === 'killed' || status === 'not-applicable' || paths.length > 4;
      return paint(terminal, styleOf(status), `${status} on ${named ? many : visible(paths.join(', '), terminal)}`);
    })
    .join(', ');
}

function styleOf(status: TrialStatus): Style {
  if (status === 'killed') return 'green';
  if (status === 'inert') return 'yellow';
  return bad.includes(status) ? 'red' : 'dim';
}

/** Guards and lies that do not apply, counted by reason. */
function notApplicableLines({ trials }: Proof, terminal: Terminal): string[] {
  const counts = new Map<string, number>();
  for (const { status, role, message } of trials) {
    if (status !== 'not-applicable' || role !== 'target') continue;
    counts.set(message ?? 'no reason was given', (counts.get(message ?? 'no reason was given') ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const reasons = [...counts].sort((a, b) => b[1] - a[1]);
  const total = reasons.reduce((sum, [, n]) => sum + n, 0);
  const width = String(reasons[0]![1]).length + 2;
  return [
    paint(terminal, 'dim', `${counted(total, 'mutant')} not applicable`),
    ...reasons.flatMap(([reason, n]) =>
      paragraph(`${String(n).padStart(width)}  `, visible(reason, terminal), terminal.width),
    ),
  ];
}

/** Mutants that told no lie on some paths, since they need a backend of another kind. */
function mayBeInertLines({ trials, mutants }: Proof, terminal: Terminal): string[] {
  const inert = new Set(trials.filter(({ status }) => status === 'inert').map(({ mutant }) => mutant));
  return mutants
    .filter(({ mutant, only }) => only !== null && inert.has(mutant))
    .flatMap(({ mutant, only }) =>
      paragraph('', visible(`${mutant} lies only where ${only}`, terminal), terminal.width),
    )
    .map((line) => paint(terminal, 'dim', line));
}

function finding(proof: Proof, trial: Trial, terminal: Terminal): string[] {
  const lies = new Map(proof.mutants.map(({ mutant, lie }) => [mutant, lie]));
  const paragraphs: [string, string][] = [
    ['backend', trial.backend],
    ...(trial.role === 'control' ? [] : ([['lie', lies.get(trial.mutant) ?? '']] satisfies [string, string][])),
    ['verdict', verdictText(trial)],
    ...(trial.role === 'control' ? [] : ([['lied', counted(trial.lies, 'time')]] satisfies [string, string][])),
  ];
  return [
    ...renderTrialLine(trial, terminal),
    ...indented([
      ...paragraphs.flatMap(([label, text]) =>
        paragraph(`${label.padEnd(7)} `, visible(text, terminal), terminal.width - 2),
      ),
      ...(trial.replay === null ? [] : [`replay  ${visible(trial.replay, terminal)}`]),
    ]),
  ];
}

function verdictText({ verdict, message, case: name }: Trial): string {
  return `${verdict}${name === null ? '' : ` in ${name}`}${message === null ? '' : `: ${message}`}`;
}

function inertLines({ inertEverywhere }: Proof, terminal: Terminal): string[] {
  return inertEverywhere.map(({ mutant, provider }) => {
    const text = visible(`${mutant} told no lie on any path of ${provider}`, terminal);
    return `${paint(terminal, 'red', `${sign(terminal, 'bad')} INERT`)}  ${text}`;
  });
}

function sums(proof: Proof, terminal: Terminal): string[] {
  const { killed, summary } = proof;
  // Mutants that do not apply are counted as above: before their targets alone.
  const notApplicable = proof.trials.filter((t) => t.status === 'not-applicable' && t.role === 'target').length;
  const others = (Object.entries({ ...summary, 'not-applicable': notApplicable }) as [TrialStatus, number][])
    .filter(([status, n]) => n > 0 && status !== 'killed')
    .map(([status, n]) => `${grouped(n)} ${status}`);
  const where = counted(proof.paths.length, 'path');
  const painted = (style: Style, text: string) =>
    paragraph('', visible(text, terminal), terminal.width).map((line) => paint(terminal, style, line));
  return [
    ...painted(
      'bold',
      `${grouped(killed.killed)} of ${counted(killed.of, 'mutant')} killed by their targets on ${where}`,
    ),
    ...(others.length === 0 ? [] : paragraph('', others.join(', '), terminal.width)),
    ...paragraph('', `seed ${proof.seed}, clause set ${proof.clauses}, ${duration(proof.durationMs)}`, terminal.width),
    ...painted(proof.exitCode === 0 ? 'green' : 'red', `exit code ${proof.exitCode}: ${whyProofExit(proof)}`),
  ];
}

/** Why this very proof has its exit code, in words. */
export function whyProofExit(proof: Proof): string {
  const { summary, exitCode, interrupted } = proof;
  const count = (n: number, one: string, many: string) => (n === 0 ? [] : [n === 1 ? `1 ${one}` : `${n} ${many}`]);
  switch (exitCode) {
    case 0:
      return 'every guard that applies fails when it must, and lets the controls live';
    case 1:
      return [
        ...count(summary.survived, 'mutant survived', 'mutants survived'),
        ...count(summary.accidental, 'accidental kill', 'accidental kills'),
        ...count(summary['control-killed'], 'control was killed', 'controls were killed'),
        ...count(proof.inertEverywhere.length, 'mutant told no lie anywhere', 'mutants told no lie anywhere'),
        ...count(proof.guards.filter(({ idle }) => idle).length, 'guard is idle', 'guards are idle'),
      ].join(', ');
    case 3:
      return whyUnproven(proof);
    case 4:
      return interrupted ?? 'no engine could be had, so nothing was proved';
    case 5:
      return 'the harness itself failed';
    default:
      return interrupted ?? 'interrupted';
  }
}

function whyUnproven(proof: Proof): string {
  const ill = proof.paths.filter((path) => path.ill !== null);
  if (ill.length > 0) return `nothing was tried on ${ill.map(({ path }) => path).join(', ')}`;
  const red = uncontrolledMusts(proof);
  if (red.length === 0) return 'nothing proven: no mutant was killed';
  const more = red.length > 1 ? ` and ${counted(red.length - 1, 'more must guard')}` : '';
  return `not proven: the backend itself is red before ${red[0]}${more}`;
}
