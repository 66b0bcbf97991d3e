import type { Writable } from 'node:stream';
import type { Proof, ProofReporter, Trial } from '../runner/proof.ts';
import { renderAbsent, renderEngine } from './engine.ts';
import { LiveLine } from './live.ts';
import { isProofFinding, renderProof, renderTrialLine } from './proof-text.ts';
import { paint, type Terminal } from './terminal.ts';
import { counted, duration, visible } from './text.ts';

/** The report of a proof for people: what happens, as it happens, then the guards with their mutants, and the sums. */
export function proofConsole(stream: Writable, terminal: Terminal, seed: number): ProofReporter {
  const out = new LiveLine(stream, terminal);
  let begun = false;
  let current: { trials: Trial[]; startedAt: number } | undefined;
  const beginning = () => {
    const lines = begun ? [''] : [`seed    ${seed}`];
    begun = true;
    return lines;
  };
  const endPath = () => {
    out.clear();
    if (current) out.print([`  ${pathSums(current.trials)}, ${duration(performance.now() - current.startedAt)}`]);
    current = undefined;
  };
  return {
    engineStarted(engine) {
      endPath();
      out.print([...beginning(), ...renderEngine(engine, terminal)]);
    },
    engineAbsent(engine) {
      endPath();
      out.print([...beginning(), ...renderAbsent(engine, terminal)]);
    },
    pathStarted(path, trials) {
      endPath();
      const about = `${path.contract}, backend ${path.backend}, ${counted(trials, 'trial')}`;
      out.print(['', `${paint(terminal, 'bold', visible(path.path, terminal))}: ${visible(about, terminal)}`]);
      if (path.ill !== null) out.print([paint(terminal, 'red', `  not tried: ${visible(path.ill, terminal)}`)]);
      else current = { trials: [], startedAt: performance.now() };
    },
    trial(trial, { done, total }) {
      current?.trials.push(trial);
      if (isProofFinding(trial)) out.print([renderTrialLine(trial, terminal)]);
      out.show(`  ${done} of ${total}  ${trial.guard} ${trial.mutant}`);
    },
    finished(proof: Proof) {
      endPath();
      out.print(['', ...renderProof(proof, terminal)]);
    },
  };
}

/** `38 of 38 killed, 2 inert`. */
function pathSums(trials: readonly Trial[]): string {
  const count = (status: Trial['status']) => trials.filter((t) => t.status === status).length;
  const met = trials.filter((t) => t.role === 'target' && t.status !== 'not-applicable').length;
  const others = (
    ['survived', 'inert', 'accidental', 'control-killed', 'uncontrolled', 'crashed', 'timed-out'] as const
  )
    .filter((status) => count(status) > 0)
    .map((status) => `, ${count(status)} ${status}`);
  return `${count('killed')} of ${counted(met, 'mutant')} killed${others.join('')}, ${count('not-applicable')} not applicable`;
}
