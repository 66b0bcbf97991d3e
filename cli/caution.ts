import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ServerUrl } from '../runner/run-options.ts';
import type { Context } from './context.ts';
import { holdsPassword } from './options.ts';

/** Says so where everybody on the machine can read the file with the password of a server. */
export function cautionOf(url: ServerUrl | null, { stderr }: Pick<Context, 'stderr'>): void {
  if (!url?.named.startsWith('@') || process.platform === 'win32' || !holdsPassword(new URL(url.address))) return;
  const file = url.named.slice(1);
  if ((statSync(resolve(file)).mode & 0o004) === 0) return;
  stderr.write(`contract-test: warning: everybody can read the password in ${file}; take that from them (chmod 600)\n`);
}
