import { extras, type Means, means, type Need, offers, promises } from '../contracts/kernel/capabilities.ts';

const meansInWords: Record<Means, string> = {
  observer: 'a second reader that can look while a write is in flight',
  rowFault: 'an error that it raises at the n-th row of a table',
  commitFault: 'a commit that it refuses',
  rollbackFault: 'a rollback that can be made to fail',
  lock: 'a lock held by another session',
  cut: 'a connection that can be cut at any point of what the subject says',
  hold: 'a connection on which what the subject says can be held at any point',
  abort: 'time-outs by which it ends a statement or a session itself',
  crash: 'a process that can be killed and started again on the same data',
  trace: 'a count of statements and transactions',
  wire: 'a connection whose round trips can be counted',
  identityStart: 'a next identity that can be set',
  identityStep: 'identities that can be made to step by more than one',
  sessionZone: 'sessions whose time zone can be set',
  ownProcess: 'subjects in a process of their own',
  paramLimit: 'a known limit of parameters in one statement',
  twoHosts: 'two hosts on one namespace at once',
  namespaces: 'a namespace that was never created is told from an empty one',
};

/** What a guard depends on, in words: whose it is, and what it takes. */
export function needInWords(need: Need): string {
  const negated = need.startsWith('!');
  const name = negated ? need.slice(1) : need;
  const not = negated ? 'does not ' : '';
  if (isOne(means, name)) return `the engine ${negated ? 'lacks' : 'has'} ${name}: ${meansInWords[name]}`;
  if (isOne(promises, name)) return negated ? `the backend gives up ${name}` : `the backend promises ${name}`;
  if (isOne(extras, name)) return `the backend ${not || 'claims '}${negated ? 'claim ' : ''}${name}`;
  if (isOne(offers, name)) return `the backend ${not || 'offers '}${negated ? 'offer ' : ''}${name}`;
  return name;
}

function isOne<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}
