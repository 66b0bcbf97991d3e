import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentLink, Lease } from '../../contracts/kernel/engine.ts';
import type { Engine } from '../provider.ts';
import type { PostgresSite } from '../sites.ts';
import { agent } from './agent.ts';
import { loadDriver } from './driver.ts';
import { postgres } from './index.ts';
import { StandIn } from './stand-in.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

const linkTo = (lease: Lease): AgentLink => ({
  call: async (method, args) => agent.call(lease.site, method, args),
});

async function onLease(body: (lease: Lease, subject: StandIn) => Promise<void>): Promise<void> {
  const lease = await engine.lease({ mode: 'direct' });
  const leave = await lease.attach(linkTo(lease));
  const subject = new StandIn(await loadDriver(), lease.site as PostgresSite);
  await subject.query('CREATE TABLE t (id int PRIMARY KEY, wide bigint, body text)');
  await body(lease, subject);
  await leave();
  await subject.end();
  await lease.release();
}

it('the hand takes a snapshot and puts it back, unseen by the tap', () =>
  onLease(async (lease, subject) => {
    const hand = agent.hand(lease.site);
    await subject.query(`INSERT INTO t VALUES (1, 2, 'before')`);
    const watch = await lease.watch();
    const before = await hand.snapshot();
    expect(before).toMatchObject({ tables: { t: 1 } });
    await subject.query(`UPDATE t SET body = 'after'`);
    await hand.restore(before);
    expect((await watch.stop()).statements).toHaveLength(1);
    expect(await lease.read('SELECT body FROM t')).toEqual({ rows: [{ body: 'before' }] });
  }));

it('the hand shows every row and writes back what was made of it, past a trap', () =>
  onLease(async (lease, subject) => {
    await subject.query(`INSERT INTO t VALUES (1, 9007199254740993, '0'), (2, NULL, NULL)`);
    const armed = await lease.arm({ at: 'row', table: 't', nth: 1, kind: 'trigger' });
    const shown: unknown[] = [];
    await agent.hand(lease.site).edit((row, table) => {
      shown.push([table, { ...row }]);
      row.wide = row.id === 1 ? null : 7;
      row.body = undefined;
    });
    expect(shown).toEqual([
      ['t', { id: 1, wide: 9007199254740993n, body: '0' }],
      ['t', { id: 2, wide: null, body: null }],
    ]);
    expect(await lease.read('SELECT * FROM t ORDER BY id')).toEqual({
      rows: [
        { id: 1, wide: null, body: null },
        { id: 2, wide: 7, body: null },
      ],
    });
    expect(await armed.sprung()).toMatchObject({ count: 0 });
    await armed.disarm();
  }));

it('the hand works on after the engine has refused something', () =>
  onLease(async (lease, subject) => {
    const hand = agent.hand(lease.site);
    await subject.query(`INSERT INTO t VALUES (1, 1, 'x')`);
    await expect(
      hand.edit((row) => {
        row.id = null;
      }),
    ).rejects.toThrow('violates not-null constraint');
    await hand.edit((row) => {
      row.body = 'y';
    });
    expect(await lease.read('SELECT id, body FROM t')).toEqual({ rows: [{ id: 1, body: 'y' }] });
  }));

it('without an attached lease there is no hand, and unknown calls are refused', async () => {
  const lease = await engine.lease({ mode: 'direct' });
  expect(() => agent.hand(lease.site)).toThrow('no lease has told the agent the way');
  const leave = await lease.attach(linkTo(lease));
  expect(await agent.hand(lease.site).snapshot()).toEqual({ tables: {}, content: {} });
  await leave();
  expect(() => agent.hand(lease.site)).toThrow('no lease has told the agent the way');
  await expect(agent.call(lease.site, 'dance', [])).rejects.toThrow('the agent has no method dance');
  await lease.release();
});
