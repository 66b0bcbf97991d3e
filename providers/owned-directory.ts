import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const keptMark = 'KEPT';

/** The process that owns a directory, as far as the machine tells. */
interface Owner {
  pid: number;
  /** Clock ticks from boot to the start of the process; 0 where there is no /proc. */
  started: string;
  /** Processes of another container are not visible; their directories are not ours to judge. */
  namespace: string;
}

function startOf(pid: number | 'self'): string {
  try {
    // The second field, the program's name in parentheses, may hold anything.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    return afterName.split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function isAlive({ pid, started }: Owner): boolean {
  if (started !== '0') return startOf(pid) === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function ownerOf(name: string, prefix: string): Owner | undefined {
  const match = /^(\d+)-(\d+)-(\d+)-\w+$/.exec(name.slice(prefix.length));
  return name.startsWith(prefix) && match
    ? { pid: Number(match[1]), started: match[2]!, namespace: match[3]! }
    : undefined;
}

/** Makes a temporary directory whose name tells its owner. */
export function makeOwnedDirectory(prefix: string, parent = tmpdir()): string {
  const base = join(parent, `${prefix}${process.pid}-${startOf('self')}-${pidNamespace()}-`);
  return realpathSync(mkdtempSync(base));
}

/** The directories of owners that are dead, except those that were to be kept. */
export function directoriesOfTheDead(prefix: string, parent = tmpdir()): string[] {
  const here = pidNamespace();
  const dead = readdirSync(parent).filter((name) => {
    const owner = ownerOf(name, prefix);
    return owner?.namespace === here && !isAlive(owner) && !existsSync(join(parent, name, keptMark));
  });
  return dead.map((name) => join(parent, name));
}

/** Protects a directory from being swept. */
export function markKept(directory: string, why = 'Left in place on request; remove it when it is no longer needed.') {
  writeFileSync(join(directory, keptMark), `${why}\n`);
}
