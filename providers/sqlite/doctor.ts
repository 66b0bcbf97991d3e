import type { Fault, Found, Lease } from '../../contracts/kernel/engine.ts';
import type { DoctorCheck } from '../provider.ts';
import type { SqliteSite } from '../sites.ts';
import { StandInHost } from './stand-in-host.ts';

/** A lease with a stand-in for the subject, which has made a table. */
interface Rehearsal {
  lease: Lease;
  host: StandInHost;
  run(sql: string): Promise<void>;
  errorOf(sql: string): Promise<string | null>;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Rows of the table as the lease reads them; -1 when it says that the table is missing. */
  count(): Promise<number>;
}

async function rehearse(lease: Lease, host: StandInHost): Promise<Rehearsal> {
  const site = lease.site as SqliteSite;
  await lease.attach(host.link(site));
  const rehearsal: Rehearsal = {
    lease,
    host,
    run: (sql) => host.run(site, sql),
    errorOf: (sql) => host.errorOf(site, sql),
    query: (sql) => host.query(site, sql),
    count: async () => rowsIn(await lease.read('SELECT * FROM things')),
  };
  await rehearsal.run('CREATE TABLE things (id INTEGER PRIMARY KEY, value TEXT)');
  return rehearsal;
}

function rowsIn(found: Found): number {
  return 'rows' in found ? found.rows.length : -1;
}

const beginThree = `BEGIN; INSERT INTO things (value) SELECT value FROM json_each('["a", "b", "c"]')`;
const insertThree = `${beginThree}; COMMIT`;
/** Meets faults at rows that are inserted and at rows that are changed. */
const writeThree = `${beginThree}; UPDATE things SET value = value; COMMIT`;

/** Tries the engine, by stand-ins for a subject, on leases that `newLease` gives. */
export async function examine(newLease: () => Promise<Lease>): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  const tried = async (name: string, attempt: () => Promise<DoctorCheck[]>): Promise<void> => {
    checks.push(...(await attempt().catch((cause) => [{ name, ok: false, detail: String(cause) }])));
  };
  const host = StandInHost.worker();
  const leases = [await newLease(), await newLease(), await newLease()] as const;
  try {
    const a = await rehearse(leases[0], host);
    const b = await rehearse(leases[1], host);
    await tried('read is independent', () => readIsIndependent(a));
    await tried('lease is isolated', () => leaseIsIsolated(a, b));
    await tried('restore restores', () => restoreRestores(a, b));
    for (const fault of faultsOf(a.lease)) await tried(`${nameOf(fault)} fires`, () => faultFires(a, fault));
    await tried('rollback fault fires', () => rollbackFaultFires(a));
    if (!a.lease.facts.lacks.crash) await tried('crash fault fires', () => crashKills(leases[2]));
    await tried('clock is sane', () => clockIsSane(a));
  } finally {
    for (const lease of leases) await lease.release({ keep: false });
    await host.end();
  }
  return checks;
}

async function readIsIndependent({ lease, run, count }: Rehearsal): Promise<DoctorCheck[]> {
  await run(`INSERT INTO things (value) VALUES ('x')`);
  const seen = await count();
  await run('DELETE FROM things');
  const gone = await count();
  // Of a private database there is only one connection; what remains are statements of our own.
  const writer = lease.facts.lacks.observer ? 'the same connection' : 'another connection';
  const detail = `${seen} row after ${writer} inserted one, ${gone} after it deleted it`;
  return [{ name: 'read is independent', ok: seen === 1 && gone === 0, detail }];
}

async function leaseIsIsolated(a: Rehearsal, b: Rehearsal): Promise<DoctorCheck[]> {
  await a.run(`INSERT INTO things (value) VALUES ('x')`);
  const [here, there] = [await a.count(), await b.count()];
  await a.run('DELETE FROM things');
  const detail = `${here} row in one lease, ${there} in another taken at once`;
  return [{ name: 'lease is isolated', ok: here === 1 && there === 0, detail }];
}

async function restoreRestores(a: Rehearsal, b: Rehearsal): Promise<DoctorCheck[]> {
  await a.run(`INSERT INTO things VALUES (7, 'before')`);
  await b.run(`INSERT INTO things (value) VALUES ('other')`);
  const before = await a.lease.snapshot();
  await a.run(`UPDATE things SET value = 'after'; INSERT INTO things (value) VALUES ('more')`);
  await a.lease.restore(before);
  const rows = await a.query('SELECT id, value FROM things');
  const other = await b.count();
  await a.run('DELETE FROM things');
  const ok = JSON.stringify(rows) === '[{"id":7,"value":"before"}]' && other === 1;
  return [{ name: 'restore restores', ok, detail: `${JSON.stringify(rows)} here, ${other} row in another lease` }];
}

function faultsOf(lease: Lease): Fault[] {
  const rows = lease.rowFaults.map((kind): Fault => ({ at: 'row', table: 'things', nth: 2, kind }));
  const lock: Fault[] = lease.facts.lacks.lock ? [] : [{ at: 'lock' }];
  const update: Fault = { at: 'row', on: 'update', table: 'things', nth: 2, kind: 'trigger' };
  return [...rows, update, { at: 'commit', table: 'things' }, ...lock];
}

function nameOf(fault: Fault): string {
  if (fault.at !== 'row') return `${fault.at} fault`;
  return fault.on === 'update' ? 'row fault on update' : `row fault (${fault.kind})`;
}

/** Arms a fault, writes into it, and writes again when it is disarmed. */
async function faultFires({ lease, errorOf, count, query }: Rehearsal, fault: Fault): Promise<DoctorCheck[]> {
  const name = nameOf(fault);
  const armed = await lease.arm(fault);
  const error = await errorOf(writeThree);
  await errorOf('ROLLBACK');
  const sprung = await armed.sprung();
  const left = await count();
  await armed.disarm();
  const fires: DoctorCheck = {
    name: `${name} fires`,
    ok: error !== null && sprung.count === 1 && sprung.raised === 1 && left === 0,
    detail: `${error ?? 'no error'}; sprang ${sprung.count}, raised ${sprung.raised}, ${left} rows left`,
  };

  await errorOf('DELETE FROM things');
  const after = await errorOf(writeThree);
  await errorOf('ROLLBACK');
  const stored = await count();
  const traces = await query(`SELECT name FROM sqlite_schema WHERE name LIKE 'contract%'`);
  await errorOf('DELETE FROM things');
  const disarmed: DoctorCheck = {
    name: `${name} is disarmed`,
    ok: after === null && stored === 3 && traces.length === 0,
    detail: after ?? `${stored} of 3 rows stored afterwards, ${traces.length} traces of the trap left`,
  };
  return [fires, disarmed];
}

async function rollbackFaultFires({ lease, errorOf, count }: Rehearsal): Promise<DoctorCheck[]> {
  const armed = await lease.arm({ at: 'rollback' });
  await errorOf(`BEGIN; INSERT INTO things (value) VALUES ('x')`);
  const error = await errorOf('ROLLBACK');
  const sprung = await armed.sprung();
  await armed.disarm();
  const again = await errorOf('ROLLBACK');
  const left = await count();
  const ok = error?.includes(armed.nonce) === true && sprung.count === 1 && again === null && left === 0;
  const detail = `${error ?? 'no error'}; sprang ${sprung.count}; ${again ?? `then rolled back, ${left} rows left`}`;
  return [{ name: 'rollback fault fires', ok, detail }];
}

/** A crash needs a process of its own. */
async function crashKills(lease: Lease): Promise<DoctorCheck[]> {
  const site = lease.site as SqliteSite;
  const host = StandInHost.process();
  try {
    const { run } = await rehearse(lease, host);
    await run(`INSERT INTO things (value) VALUES ('kept')`);
    const armed = await lease.arm({ at: 'crash', point: { statement: 3 } });
    const error = await host.errorOf(site, insertThree);
    const sprung = await armed.sprung();
    await armed.disarm();
    const left = rowsIn(await lease.read('SELECT * FROM things'));
    const ok = error !== null && sprung.count === 1 && left === 1;
    const detail = `${error ?? 'no error'}; sprang ${sprung.count}, ${left} acknowledged row left`;
    return [{ name: 'crash fault fires', ok, detail }];
  } finally {
    await host.end();
  }
}

const longAgo = Date.UTC(2025, 0);

async function clockIsSane({ query }: Rehearsal): Promise<DoctorCheck[]> {
  const now = async (): Promise<number> => Number((await query(`SELECT unixepoch('subsec') * 1000 AS now`))[0]?.now);
  const before = Date.now();
  const [first, second] = [await now(), await now()];
  const after = Date.now();
  // Whatever time the queries took is not a difference of the clocks.
  const difference = Math.max(0, before - first, second - after);
  const ok = difference < 1000 && first > longAgo && second >= first;
  const detail = `${new Date(first).toISOString()}, ${difference} ms off the judge's, then ${second - first} ms later`;
  return [{ name: 'clock is sane', ok, detail }];
}
