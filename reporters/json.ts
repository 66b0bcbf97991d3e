import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import type { Proof } from '../runner/proof.ts';
import type { Report } from '../runner/report.ts';
import { unwritable } from './unwritable.ts';

/** Writes all that was found as JSON, by docs/report.schema.json or docs/proof.schema.json, to a stream or a file. */
export function jsonReporter(target: Writable | string) {
  return {
    async finished(report: Report | Proof) {
      const text = `${JSON.stringify(report, null, 2)}\n`;
      if (typeof target !== 'string') {
        target.write(text);
        return;
      }
      try {
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, text);
      } catch (error) {
        throw unwritable('json', target, error);
      }
    },
  };
}
