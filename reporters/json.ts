import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import type { Report, Reporter } from '../runner/report.ts';

/** Writes the whole report as JSON, by docs/report.schema.json, to a stream or a file. */
export function jsonReporter(target: Writable | string): Reporter {
  return {
    async finished(report: Report) {
      const text = `${JSON.stringify(report, null, 2)}\n`;
      if (typeof target !== 'string') {
        target.write(text);
        return;
      }
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
    },
  };
}
