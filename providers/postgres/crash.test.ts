import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lease } from '../../contracts/kernel/engine.ts';
import type { Engine } from '../provider.ts';
import { isRunning } from '../provision/processes.ts';
import type { PostgresSite } from '../sites.ts';
import { loadDriver } from './driver.ts';
import { postgres } from './index.ts';
import { StandIn } from './stand-in.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await postgres.start({ provision: 'embedded' });
});
afterAll(() => engine.stop());

const newLease = (): Promise<Lease> => engine.lease({ mode: 'direct' });
const subjectOn = async (lease: Lease): Promise<StandIn> => new StandIn(await loadDriver(), lease.site as PostgresSite);

/** Leases with a table, and a subject on each. */
async function onLeases(count: number, body: (subjects: StandIn[], leases: Lease[]) => Promise<void>): Promise<void> {
  const leases = await Promise.all(Array.from({ length: count }, newLease));
  const subjects = await Promise.all(leases.map(subjectOn));
  for (const subject of subjects) await subject.query('CREATE TABLE t (id int)');
  try {
    await body(subjects, leases);
  } finally {
    for (const subject of subjects) await subject.end();
    for (const lease of leases) await lease.release();
  }
}

const idsIn = async (lease: Lease): Promise<unknown> => {
  const found = await lease.read('SELECT id FROM t ORDER BY id');
  return 'rows' in found ? found.rows.map(({ id }) => id) : found;
};

it('what was acknowledged is there after a crash, what was not is not, and it is the same server', () =>
  onLeases(1, async ([subject], [lease]) => {
    await subject!.query('INSERT INTO t VALUES (1)');
    await subject!.query('BEGIN; INSERT INTO t VALUES (2)');
    const [{ pid }] = (await subject!.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    const { pids } = await lease!.crash();
    expect(pids).toContain(Number(pid));
    expect(pids.filter(isRunning)).toEqual([]);
    await expect(lease!.read('SELECT 1')).rejects.toMatchObject({
      name: 'EngineUnavailable',
      message: expect.stringContaining('nothing answers on port'),
    });
    expect(await subject!.errorOf('SELECT 1')).not.toBeNull();
    const words = await lease!.recover();
    const port = Number(/its port (\d+)/.exec(words)![1]);
    expect(words).toContain('database system was not properly shut down; automatic recovery in progress');
    expect(words).toMatch(/data directory contract-test-postgres-\S+\/data/);
    expect(port).not.toBe((lease!.site as PostgresSite).port);
    expect(await idsIn(lease!)).toEqual([1]);
    await subject!.query('INSERT INTO t VALUES (3)');
    expect(await idsIn(lease!)).toEqual([1, 3]);
  }));

it('all signals have been sent before the call returns', () =>
  onLeases(1, async ([subject], [lease]) => {
    const [{ pid }] = (await subject!.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    const crashed = lease!.crash();
    // The kernel may take a moment, but no turn of the event loop passes.
    while (isRunning(Number(pid)));
    await crashed;
    await lease!.recover();
  }));

it('other leases go on, and what is armed, watched and dropped meanwhile is no obstacle', () =>
  onLeases(3, async (subjects, [one, two, three]) => {
    await subjects[1]!.query('INSERT INTO t VALUES (1)');
    const lock = await two!.arm({ at: 'lock' });
    const watch = await three!.watch();
    // Its namespace is dropped behind everybody's back, at this very moment.
    await (await newLease()).release();
    await one!.crash();
    await one!.recover();
    await lock.disarm();
    await watch.stop();
    for (const subject of subjects) await subject.errorOf('SELECT 1');
    await subjects[1]!.query('INSERT INTO t VALUES (2)');
    expect(await idsIn(two!)).toEqual([1, 2]);
    const another = await newLease();
    await another.release();
  }));

it.each([
  ['before-sent', []],
  ['after-sent', null],
  ['before-ack', [1]],
] as const)('a crash %s of the commit', (commit, expected) =>
  onLeases(1, async ([subject], [lease]) => {
    const armed = await lease!.arm({ at: 'crash', point: { commit } });
    const watch = await lease!.watch();
    await subject!.query('BEGIN; INSERT INTO t VALUES (1)');
    expect(await subject!.errorOf('COMMIT')).not.toBeNull();
    await armed.reached;
    expect(await lease!.recover()).toContain('automatic recovery in progress');
    expect((await watch.stop()).interference).toMatchObject([{ text: expect.stringMatching(/^killed the server /) }]);
    expect(await armed.sprung()).toMatchObject({ count: 1 });
    await armed.disarm();
    if (expected) expect(await idsIn(lease!)).toEqual(expected);
    else expect([[], [1]]).toContainEqual(await idsIn(lease!));
  }),
);

it('a namespace outlives a crash although its subject has flushed nothing', async () => {
  const lease = await newLease();
  const subject = await subjectOn(lease);
  await subject.query('SET synchronous_commit = off; CREATE TABLE t (id int)');
  await lease.crash();
  await lease.recover();
  // What the subject had open is gone with the server.
  await subject.errorOf('SELECT 1');
  expect(await subject.query('SELECT current_schema AS here')).toEqual([{ here: (lease.site as PostgresSite).schema }]);
  await subject.end();
  await lease.release();
});

it('a lease that is released after its crash starts the server again; so does nobody at the end', async () => {
  const [one, two] = [await newLease(), await newLease()];
  await one.crash();
  await one.release();
  expect(await two.read('SELECT 1 AS one')).toEqual({ rows: [{ one: 1 }] });
  await two.release();
  const short = await postgres.start({ provision: 'embedded' });
  await (await short.lease({ mode: 'direct' })).crash();
  await short.stop();
});
