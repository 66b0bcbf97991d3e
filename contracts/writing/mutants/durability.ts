import type { EngineFacts } from '../../kernel/capabilities.ts';
import type { Site } from '../../kernel/engine.ts';
import { type Mutant, mutant } from '../../kernel/mutant.ts';
import { type Batching, batchMutant, named, ordinaryCopy, passedThrough } from './batching.ts';
import { answer, ask, hasFailed } from './replies.ts';

const reopen = 'acknowledged-survives-reopen';
const crash = 'acknowledged-survives-crash';

/** Lies about how long what was acknowledged lasts. */
export function durabilityMutants<Item>(batching: Batching<Item>): Mutant[] {
  const { contract, alsoFoundBy } = batching;
  return [
    batchMutant(batching, {
      id: 'kept-in-memory-till-close',
      lie: 'Keeps its rows until it is closed, and no longer.',
      target: reopen,
      spoil(honest, tools) {
        let before: unknown;
        tools.atClose(() => before !== undefined && tools.hand.restore(before));
        return async (items, options) => {
          const copy = ordinaryCopy(batching, items);
          if (copy === undefined) return honest(items, options);
          before ??= await tools.hand.snapshot();
          const reply = await ask(honest, copy, options);
          if (!hasFailed(reply)) tools.lied();
          return answer(reply);
        };
      },
    }),
    batchMutant(batching, {
      id: 'asynchronous-commit',
      lie: 'Acknowledges a batch before the log of the engine is written.',
      target: crash,
      cannot: (_declaration, { provider }) =>
        provider === 'postgres' ? undefined : `${provider} has no setting that acknowledges before it writes`,
      spoil: (honest, tools) => async (items, options) => {
        const reply = await ask(honest, items, options);
        if (!hasFailed(reply) && items.length > 0) tools.lied();
        return answer(reply);
      },
      site: withAsynchronousCommit,
    }),
    mutant<object>({
      id: 'starts-afresh',
      lie: 'Deletes what is stored when it opens.',
      target: named(contract, crash),
      alsoKilledBy: [reopen, ...(alsoFoundBy['starts-afresh'] ?? [])].map((guard) => named(contract, guard)),
      cannot: onlyInProcess,
      wrap(subject, tools) {
        const { tables } = tools.hand.snapshot() as { tables: Record<string, number> };
        if (Object.values(tables).some((rows) => rows > 0)) {
          void tools.hand.restore({ tables: {}, content: {} });
          tools.lied();
        }
        return passedThrough(subject);
      },
    }),
  ];
}

/** The session's settings, and after them that a commit is acknowledged before it is written. */
function withAsynchronousCommit(site: Site): Site {
  if (!('url' in site) || typeof site.url !== 'string') return site;
  const url = new URL(site.url);
  const options = [url.searchParams.get('options'), '-c synchronous_commit=off'];
  url.searchParams.set('options', options.filter((option) => option !== null).join(' '));
  // In a query `+` is a space to some and a plus to others.
  return { ...site, url: url.href.replaceAll('+', '%20') } as Site;
}

/** Rows can be deleted while the subject opens, before anybody looks, only where nothing has to be awaited. */
function onlyInProcess(_declaration: unknown, { lacks }: EngineFacts): string | undefined {
  return lacks.wire === undefined ? 'the rows of a server outlast any subject' : undefined;
}
