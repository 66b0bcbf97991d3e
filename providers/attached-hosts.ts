import type { AgentLink, Sprung, Watched } from '../contracts/kernel/engine.ts';
import { NotApplicable } from '../contracts/kernel/guard.ts';

/** What an agent answers when it has no means for what was asked; data, since classes do not cross a link. */
export interface Unable {
  unable: { by: 'engine' | 'host'; reason: string };
}

/** A standing order that every attached host has to carry out: an armed fault or a watch. */
interface Order {
  start: { method: string; args: unknown[] };
  /** What hosts that have left again had to report. */
  past: unknown[];
}

export const nothingSprung: Sprung = { count: 0, rowsBefore: 0, raised: 0 };

/** Adds up what one fault did in several hosts. */
export function addSprung(reports: readonly Sprung[]): Sprung {
  return reports.reduce(
    (sum, one) => ({
      count: sum.count + one.count,
      rowsBefore: sum.count > 0 ? sum.rowsBefore : one.rowsBefore,
      raised: sum.raised + one.raised,
    }),
    nothingSprung,
  );
}

/** Puts the recordings of several hosts one after the other; each host has numbered its connections from 1. */
export function joinWatched(reports: readonly Watched[]): Watched {
  const joined: Watched = { statements: [], samples: [], commits: 0 };
  let connections = 0;
  for (const { statements, samples, commits } of reports) {
    joined.commits += commits;
    const renumbered = statements.map((s) => ({ ...s, connection: s.connection + connections }));
    connections = renumbered.reduce((most, s) => Math.max(most, s.connection), connections);
    joined.statements = joined.statements.concat(renumbered);
    joined.samples = joined.samples.concat(samples);
  }
  return joined;
}

/**
 * The hosts that are attached to one lease, spoken to as one.
 *
 * Orders given before a host attaches are given to it when it does, and what a host has to report is collected before
 * it leaves, so that counts are complete whichever host is still there.
 */
export class AttachedHosts {
  readonly #links = new Set<AgentLink>();
  readonly #orders = new Map<string, Order>();

  get size(): number {
    return this.#links.size;
  }

  async attach(link: AgentLink): Promise<() => Promise<void>> {
    for (const { start } of this.#orders.values()) answerOf(await link.call(start.method, start.args));
    this.#links.add(link);
    return () => this.#leave(link);
  }

  /** Gives an order to every host, now and later; returns what the present ones answered. */
  async order(key: string, method: string, args: unknown[]): Promise<unknown[]> {
    this.#orders.set(key, { start: { method, args }, past: [] });
    try {
      return await this.callAll(method, args);
    } catch (cause) {
      this.#orders.delete(key);
      // Hosts before the one that refused have it already.
      await this.callAll('revoke', [key]);
      throw cause;
    }
  }

  /** What every host, also one that has left, has to report on an order. */
  async reports(key: string): Promise<unknown[]> {
    const order = this.#orders.get(key);
    return order ? [...order.past, ...(await this.callAll('report', [key]))] : [];
  }

  /** Ends an order everywhere, and returns the last reports. */
  async revoke(key: string): Promise<unknown[]> {
    try {
      return await this.reports(key);
    } finally {
      this.#orders.delete(key);
      await this.callAll('revoke', [key]);
    }
  }

  /** Calls every host in turn; one that has ended is forgotten. */
  async callAll(method: string, args: unknown[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const link of [...this.#links]) {
      try {
        answers.push(answerOf(await link.call(method, args)));
      } catch (cause) {
        if (!hasEnded(cause)) throw cause;
        this.#links.delete(link);
      }
    }
    return answers;
  }

  async #leave(link: AgentLink): Promise<void> {
    if (!this.#links.delete(link)) return;
    try {
      for (const [key, order] of this.#orders) {
        order.past.push(answerOf(await link.call('report', [key])));
        await link.call('revoke', [key]);
      }
    } catch (cause) {
      if (!hasEnded(cause)) throw cause;
    }
  }
}

/** The answer, unless it says that the agent is unable. */
function answerOf(answer: unknown): unknown {
  const unable = (answer as Unable | null | undefined)?.unable;
  if (unable) throw new NotApplicable(unable.by, unable.reason);
  return answer;
}

function hasEnded(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'HostEnded';
}
