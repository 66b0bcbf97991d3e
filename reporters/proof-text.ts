import type { Proof, Trial, TrialStatus } from '../runner/proof.ts';
import { renderAbsent } from './engine.ts';
import { paint, type Style, sign, type Terminal } from './terminal.ts';
import { counted, duration, grouped, indented, pad, paragraph, visible } from './text.ts';

const bad: readonly TrialStatus[] = [
  'survived',
  'accidental',
  'control-killed',
  'uncontrolled',
  'crashed',
  'timed-out',
];

/** Whether a trial did not end as it should. */
export function isProofFinding({ status }: Trial): boolean {
  return bad.includes(status);
}

/** A trial that did not end as it should, in one line, as it comes. */
export function renderTrialLine(trial: Trial, terminal: Terminal): string {
  const head = `${sign(terminal, 'bad')} ${trial.status.toUpperCase()}`;
  return `${paint(terminal, 'red', head)}  ${visible(`${trial.mutant} before ${trial.guard} on ${trial.path}`, terminal)}`;
}

/** All of a proof that is left to be told at its end. */
export function renderProof(proof: Proof, terminal: Terminal): string[] {
  return [
    ...guardTable(proof, terminal),
    ...findings(proof, terminal),
    ...inertLines(proof, terminal),
    ...proof.absent.flatMap((engine) => renderAbsent(engine, terminal)),
    ...sums(proof, terminal),
  ];
}

/** Every guard with the mutants that are aimed at it, and on how many paths each fared how. */
function guardTable(proof: Proof, terminal: Terminal): string[] {
  const width = Math.max(0, ...proof.guards.flatMap(({ mutants }) => mutants.map((m) => m.length)));
  return proof.guards.flatMap(({ guard, mutants, applies, idle, impliedBy }) => {
    const head = paint(terminal, 'bold', visible(guard, terminal));
    if (applies === 0) return [`${head}  not applicable`];
    const note = idle ? paint(terminal, 'red', '  IDLE: no mutant is aimed at it') : '';
    const implied = impliedBy === null ? '' : `  implied by ${impliedBy}`;
    const lines = mutants.map((mutant) => `  ${pad(mutant, width)}  ${fared(proof, guard, mutant, terminal)}`);
    return [head + note + implied, ...lines];
  });
}

function fared(proof: Proof, guard: string, mutant: string, terminal: Terminal): string {
  const trials = proof.trials.filter((t) => t.guard === guard && t.mutant === mutant);
  const statuses = [...new Set(trials.map(({ status }) => status))];
  return statuses
    .map((status) => {
      const paths = trials.filter((t) => t.status === status).map(({ path }) => path);
      const where = paths.length === trials.length ? `on ${counted(paths.length, 'path')}` : `on ${paths.join(', ')}`;
      return paint(terminal, styleOf(status), `${status} ${visible(where, terminal)}`);
    })
    .join('; ');
}

function styleOf(status: TrialStatus): Style {
  if (status === 'killed') return 'green';
  if (status === 'inert') return 'yellow';
  return bad.includes(status) ? 'red' : 'dim';
}

function findings(proof: Proof, terminal: Terminal): string[] {
  const lies = new Map(proof.mutants.map(({ mutant, lie }) => [mutant, lie]));
  return proof.trials
    .filter(isProofFinding)
    .flatMap((trial) => [
      '',
      renderTrialLine(trial, terminal),
      ...indented([
        visible(`backend ${trial.backend}`, terminal),
        ...paragraph('lie     ', visible(lies.get(trial.mutant) ?? 'none', terminal), terminal.width - 2),
        ...paragraph('verdict ', visible(verdictText(trial), terminal), terminal.width - 2),
        `lied    ${counted(trial.lies, 'time')}`,
        ...(trial.replay === null ? [] : [`replay  ${visible(trial.replay, terminal)}`]),
      ]),
    ]);
}

function verdictText({ verdict, message, case: name }: Trial): string {
  return `${verdict}${name === null ? '' : ` in ${name}`}${message === null ? '' : `: ${message}`}`;
}

function inertLines({ inertEverywhere }: Proof, terminal: Terminal): string[] {
  if (inertEverywhere.length === 0) return [];
  const lines = inertEverywhere.map(({ mutant, provider }) => `${mutant} told no lie on any path of ${provider}`);
  return [
    '',
    ...lines.map((line) => paint(terminal, 'red', `${sign(terminal, 'bad')} INERT  ${visible(line, terminal)}`)),
  ];
}

function sums(proof: Proof, terminal: Terminal): string[] {
  const { killed, summary } = proof;
  const others = (Object.entries(summary) as [TrialStatus, number][])
    .filter(([status, n]) => n > 0 && status !== 'killed')
    .map(([status, n]) => `${grouped(n)} ${status}`);
  const kills = `${grouped(killed.killed)} of ${counted(killed.of, 'mutant')} killed by their targets on ${counted(proof.paths.length, 'path')}`;
  return [
    '',
    paint(terminal, 'bold', kills),
    others.join(', '),
    `seed ${proof.seed}, clause set ${proof.clauses}, ${duration(proof.durationMs)}`,
    paint(terminal, proof.exitCode === 0 ? 'green' : 'red', `exit code ${proof.exitCode}: ${whyProofExit(proof)}`),
  ];
}

/** Why this very proof has its exit code, in words. */
export function whyProofExit(proof: Proof): string {
  const { summary, exitCode } = proof;
  if (exitCode === 130) return proof.interrupted ?? 'interrupted';
  if (exitCode === 4) return proof.interrupted ?? 'no engine could be had, so nothing was proved';
  if (exitCode === 5) return 'the harness itself failed';
  if (exitCode === 3) return 'nothing proven';
  if (exitCode === 0) return 'every guard that applies was seen to fail when it must, and to let the controls live';
  const reasons: [number, string][] = [
    [summary.survived, 'survived'],
    [summary.accidental, 'found by a guard that is not to find them'],
    [summary['control-killed'], 'controls killed'],
    [proof.inertEverywhere.length, 'inert everywhere'],
    [proof.guards.filter(({ idle }) => idle).length, 'guards idle'],
  ];
  return reasons
    .filter(([n]) => n > 0)
    .map(([n, words]) => `${n} ${words}`)
    .join(', ');
}
