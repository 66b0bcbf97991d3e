import { resolve } from 'node:path';
import type { ProofReporter } from '../runner/proof.ts';
import type { ReporterSpec, Streams } from './index.ts';
import { jsonReporter } from './json.ts';
import { proofConsole } from './proof-console.ts';
import { terminalOf } from './terminal.ts';

/** Makes the reporters of a proof. Where JSON goes to the output, the console report goes to the error stream. */
export function makeProofReporters(specs: ReporterSpec[], streams: Streams, seed: number): ProofReporter[] {
  const jsonOnStdout = specs.some((spec) => spec.name === 'json' && spec.file === undefined);
  const forPeople = jsonOnStdout ? streams.stderr : streams.stdout;
  return specs.map((spec) => {
    if (spec.name === 'console') return proofConsole(forPeople, terminalOf(forPeople, streams.env), seed);
    return jsonReporter(spec.file === undefined ? streams.stdout : resolve(streams.cwd, spec.file));
  });
}
