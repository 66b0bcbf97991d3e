import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/** The user as whom a server runs. */
export interface Account {
  uid: number;
  gid: number;
}

/** The account that has the least rights on every system. */
export const unprivileged = 'nobody';

/** Servers refuse to run as root; undefined where the judge's own account will do. */
export function serverAccount(): Account | undefined {
  return process.getuid?.() === 0 ? unprivilegedAccount() : undefined;
}

/** `initdb` wants an account that has a name. */
function unprivilegedAccount(): Account {
  const nobody = /^nobody:[^:]*:(-?\d+):(-?\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return nobody ? { uid: Number(nobody[1]) >>> 0, gid: Number(nobody[2]) >>> 0 } : { uid: 65534, gid: 65534 };
}

/** Whether an account may go through every folder down to this one. */
export function canEnter(directory: string, account: Account | undefined): boolean {
  if (!account) return true;
  for (let folder = directory; ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 0o1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Folder for temporary files that the account can reach. */
export function temporaryFolder(account: Account | undefined): string {
  return canEnter(tmpdir(), account) ? tmpdir() : '/tmp';
}
