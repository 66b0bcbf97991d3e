import { expect, it } from 'vitest';
import type { AgentLink, SeenStatement } from '../contracts/kernel/engine.ts';
import { AttachedHosts, addSprung, joinWatched } from './attached-hosts.ts';

/** A link that answers from a table, and notes what it was asked. */
function link(answers: Record<string, unknown> = {}): AgentLink & { calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    async call(method, args) {
      calls.push(`${method} ${args.join(' ')}`.trim());
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

const ended = Object.assign(new Error('gone'), { name: 'HostEnded' });
const unable = { unable: { by: 'engine', reason: 'no means' } };

it('gives orders to the hosts that are there and to those that come', async () => {
  const hosts = new AttachedHosts();
  const [first, second] = [link(), link()];
  await hosts.attach(first);
  await hosts.order('x', 'arm', ['x', 1]);
  await hosts.attach(second);
  await hosts.revoke('x');
  const third = link();
  await hosts.attach(third);
  expect(first.calls).toEqual(['arm x 1', 'report x', 'revoke x']);
  expect(second.calls).toEqual(first.calls);
  expect(third.calls).toEqual([]);
});

it('keeps the reports of a host that leaves', async () => {
  const hosts = new AttachedHosts();
  const leave = await hosts.attach(link({ report: 'early' }));
  await hosts.attach(link({ report: 'late' }));
  await hosts.order('x', 'arm', []);
  await leave();
  await leave();
  expect(await hosts.reports('x')).toEqual(['early', 'late']);
});

it('forgets a host that has ended, and lets other errors through', async () => {
  const hosts = new AttachedHosts();
  await hosts.attach(link({ arm: ended }));
  await hosts.attach(link({ arm: 'done' }));
  expect(await hosts.callAll('arm', [])).toEqual(['done']);
  expect(hosts.size).toBe(1);
  await hosts.attach(link({ arm: new Error('broken') }));
  await expect(hosts.callAll('arm', [])).rejects.toThrow('broken');
});

it('takes an order back everywhere when one host is unable', async () => {
  const hosts = new AttachedHosts();
  const able = link();
  await hosts.attach(able);
  await hosts.attach(link({ arm: unable }));
  const refusal = { name: 'NotApplicable', by: 'engine', message: 'no means' };
  await expect(hosts.order('x', 'arm', [])).rejects.toMatchObject(refusal);
  expect(able.calls).toEqual(['arm', 'revoke x']);
  expect(await hosts.reports('x')).toEqual([]);
});

it('revokes an order even if a report cannot be had', async () => {
  const hosts = new AttachedHosts();
  const host = link({ report: unable });
  await hosts.attach(host);
  await hosts.order('x', 'arm', []);
  await expect(hosts.revoke('x')).rejects.toThrow('no means');
  expect(host.calls.at(-1)).toBe('revoke x');
});

it('adds up what faults did, and takes the rows before from the first that sprang', () => {
  expect(addSprung([])).toEqual({ count: 0, rowsBefore: 0, raised: 0 });
  const reports = [
    { count: 0, rowsBefore: 0, raised: 0 },
    { count: 1, rowsBefore: 4, raised: 1 },
    { count: 2, rowsBefore: 7, raised: 3 },
  ];
  expect(addSprung(reports)).toEqual({ count: 3, rowsBefore: 4, raised: 4 });
});

it('numbers the connections of several hosts apart', () => {
  const on = (connection: number) => ({ connection }) as SeenStatement;
  const { statements } = joinWatched([
    { statements: [on(1), on(2)], samples: [], commits: 0 },
    { statements: [], samples: [], commits: 0 },
    { statements: [on(1)], samples: [], commits: 0 },
  ]);
  expect(statements.map((s) => s.connection)).toEqual([1, 2, 3]);
});
