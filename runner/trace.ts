import type { Lease, Watched } from '../contracts/kernel/engine.ts';
import { printWatched } from '../providers/wire/print.ts';
import type { Scopes } from './scopes.ts';

/** Lines of a trace that are kept: half of them from its beginning, half from its end. */
const most = 200;

interface Recording {
  lease: Lease;
  seen: Watched | undefined;
  stop(): Promise<void>;
}

/** What was recorded in one part of a guard: a case, or a case with one generated value. */
export type Part = Recording[];

/** Records what subjects send to their engine, part by part; what is kept is the first part that broke a rule. */
export class Tracer {
  readonly #scopes: Scopes;
  #current: Part = [];
  #kept: Part | undefined;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  /** A part begins, or one that has ended is taken up again; what was recorded before is forgotten. */
  begin(part: Part = []): Part {
    this.#current = part;
    return part;
  }

  /** Records what is sent on a lease from now on, until the scope is closed. */
  async start(lease: Lease): Promise<void> {
    if (this.#current.some((recording) => recording.lease === lease)) return;
    // A subject that cannot be watched can be judged all the same.
    const watch = await lease.watch().catch(() => undefined);
    if (!watch) return;
    let stopping: Promise<void> | undefined;
    const recording: Recording = {
      lease,
      seen: undefined,
      stop() {
        stopping ??= watch.stop().then(
          (watched) => {
            recording.seen = watched;
          },
          () => {},
        );
        return stopping;
      },
    };
    this.#current.push(recording);
    this.#scopes.push(recording.stop);
  }

  /** Ends the recordings of this part, while there still is a host to ask. */
  async stop(): Promise<void> {
    for (const recording of this.#current) await recording.stop();
  }

  /** This part broke a rule. */
  keep(): void {
    this.#kept ??= this.#current;
  }

  /** What was recorded in the part that was kept, or in the present one. */
  get lines(): string[] {
    const seen = (this.#kept ?? this.#current).flatMap((recording) => recording.seen ?? []);
    const lines = seen.flatMap((watched) => printWatched(watched));
    if (lines.length <= most) return lines;
    return [...lines.slice(0, most / 2), `(${lines.length - most} more lines)`, ...lines.slice(-most / 2)];
  }
}
