import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { Reporter } from '../runner/report.ts';
import { type ConsoleOptions, consoleReporter } from './console.ts';
import { jsonReporter } from './json.ts';
import { terminalOf } from './terminal.ts';

/** Reporters by the name that `--reporter` takes. */
export const reporterNames = ['console', 'json'] as const;
export type ReporterName = (typeof reporterNames)[number];

/** One `--reporter`: `console`, `json`, or `json=report.json`. */
export interface ReporterSpec {
  name: ReporterName;
  file?: string;
}

/** Where reporters write, and the environment that tells what is shown there. */
export interface Streams {
  stdout: Writable;
  stderr: Writable;
  env: Record<string, string | undefined>;
  /** Folder that file names are relative to. */
  cwd: string;
}

/** Makes the reporters of a run. Where JSON goes to the output, the console report goes to the error stream. */
export function makeReporters(specs: ReporterSpec[], streams: Streams, options: ConsoleOptions): Reporter[] {
  const jsonOnStdout = specs.some((spec) => spec.name === 'json' && spec.file === undefined);
  const forPeople = { ...streams, stdout: jsonOnStdout ? streams.stderr : streams.stdout };
  return specs.map((spec) => makeReporter(spec, spec.name === 'console' ? forPeople : streams, options));
}

/** Makes one reporter. */
function makeReporter(spec: ReporterSpec, streams: Streams, options: ConsoleOptions): Reporter {
  switch (spec.name) {
    case 'console':
      return consoleReporter(streams.stdout, terminalOf(streams.stdout, streams.env), options);
    case 'json':
      return jsonReporter(spec.file === undefined ? streams.stdout : resolve(streams.cwd, spec.file));
  }
}
