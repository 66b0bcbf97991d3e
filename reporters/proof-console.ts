import type { Writable } from 'node:stream';
import type { Proof, ProofPath, ProofReporter, Trial, TrialStatus } from '../runner/proof.ts';
import { renderAbsent, renderEngine } from './engine.ts';
import { LiveLine } from './live.ts';
import { isProofFinding, renderProof, renderTrialLine } from './proof-text.ts';
import { paint, sign, type Terminal } from './terminal.ts';
import { counted, duration, paragraph, visible } from './text.ts';

/** A path that is being tried. */
interface Trying {
  path: ProofPath;
  total: number;
  trials: Trial[];
  startedAt: number;
}

/** The report of a proof for people: what happens, as it happens, then the guards with their mutants, and the sums. */
export function proofConsole(stream: Writable, terminal: Terminal, seed: number): ProofReporter {
  const out = new LiveLine(stream, terminal);
  const trying: Trying[] = [];
  let beginning = [`seed    ${seed}`];
  const engine = (lines: string[]) => {
    out.print([...beginning, ...lines]);
    beginning = [];
  };
  return {
    engineStarted: (started) => engine(renderEngine(started, terminal)),
    engineAbsent: (absent) => engine(renderAbsent(absent, terminal)),
    pathStarted(path, total) {
      if (path.ill !== null)
        out.print(renderPathEnd({ path, total, trials: [], startedAt: performance.now() }, terminal));
      else trying.push({ path, total, trials: [], startedAt: performance.now() });
    },
    trial(trial, { done, total }) {
      if (isProofFinding(trial)) out.print(renderTrialLine(trial, terminal));
      const at = trying.findIndex(({ path }) => isOf(trial, path));
      const there = trying[at]!;
      there.trials.push(trial);
      if (there.trials.length === there.total) {
        out.print(renderPathEnd(there, terminal));
        trying.splice(at, 1);
      }
      out.show(`  ${done} of ${total}  ${trial.guard} ${trial.mutant}`);
    },
    finished(proof: Proof) {
      out.clear();
      out.print(['', ...renderProof(proof, terminal)]);
    },
  };
}

function isOf(trial: Trial, path: ProofPath): boolean {
  return trial.path === path.path && trial.backend === path.backend && trial.contract === path.contract;
}

/** A path that has been tried: how many of its mutants met their end. */
function renderPathEnd({ path, trials, startedAt }: Trying, terminal: Terminal): string[] {
  const isGood = path.ill === null && !trials.some(isProofFinding);
  const symbol = sign(terminal, isGood ? 'ok' : 'bad');
  const about = `${path.path}: ${path.contract}, backend ${path.backend}`;
  const sums = `${pathSums(trials)}, ${duration(performance.now() - startedAt)}`;
  const text = `${about}: ${path.ill === null ? sums : `not tried: ${path.ill}`}`;
  const [first, ...rest] = paragraph(`${symbol} `, visible(text, terminal), terminal.width);
  return [paint(terminal, isGood ? 'green' : 'red', symbol) + first!.slice(symbol.length), ...rest];
}

/** `38 of 40 mutants killed, 2 inert`. */
function pathSums(trials: readonly Trial[]): string {
  const count = (status: TrialStatus) => trials.filter((t) => t.status === status).length;
  const met = trials.filter((t) => t.role === 'target' && t.status !== 'not-applicable').length;
  const others = (
    ['inert', 'survived', 'accidental', 'control-killed', 'uncontrolled', 'crashed', 'timed-out'] as const
  )
    .filter((status) => count(status) > 0)
    .map((status) => `, ${count(status)} ${status}`);
  return `${count('killed')} of ${counted(met, 'mutant')} killed${others.join('')}`;
}
