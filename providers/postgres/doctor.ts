import {
  type AbortKind,
  abortKinds,
  type Fault,
  type Found,
  type Lease,
  type Sprung,
} from '../../contracts/kernel/engine.ts';
import type { DoctorCheck } from '../provider.ts';
import type { PostgresSite } from '../sites.ts';
import type { Driver } from './driver.ts';
import { ours, quoteName } from './sql.ts';
import { StandIn } from './stand-in.ts';

/** A lease with a stand-in for the subject, which has made a table. */
class Rehearsal {
  readonly lease: Lease;
  readonly subject: StandIn;

  constructor(driver: Driver, lease: Lease) {
    this.lease = lease;
    this.subject = new StandIn(driver, lease.site as PostgresSite);
  }

  async begin(): Promise<void> {
    await this.subject.query('CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value text)');
  }

  /** Rows of the table as the lease reads them; -1 when it says that the table is missing. */
  async count(): Promise<number> {
    return rowsIn(await this.lease.read('SELECT * FROM things'));
  }

  async empty(): Promise<void> {
    await this.subject.query('DELETE FROM things');
  }

  async end(): Promise<void> {
    await this.subject.end();
    await this.lease.release({ keep: false });
  }
}

function rowsIn(found: Found): number {
  return 'rows' in found ? found.rows.length : -1;
}

const beginThree = `BEGIN; INSERT INTO things (value) VALUES ('a'), ('b'), ('c')`;
const insertThree = `${beginThree}; COMMIT`;
/** Meets faults at rows that are inserted and at rows that are changed. */
const writeThree = `${beginThree}; UPDATE things SET value = value; COMMIT`;

/** Tries the engine, by stand-ins for a subject, on leases that `newLease` gives. */
export async function examine(driver: Driver, newLease: () => Promise<Lease>): Promise<DoctorCheck[]> {
  const a = new Rehearsal(driver, await newLease());
  const b = new Rehearsal(driver, await newLease());
  const checks: DoctorCheck[] = [];
  const tried = async (name: string, attempt: () => Promise<DoctorCheck[]>): Promise<void> => {
    checks.push(...(await attempt().catch((cause) => [{ name, ok: false, detail: String(cause) }])));
    // What a failed attempt has left must not make the next one fail.
    for (const rehearsal of [a, b]) await rehearsal.subject.errorOf('DELETE FROM things');
  };
  try {
    await a.begin();
    await b.begin();
    await tried('read is independent', () => readIsIndependent(a));
    await tried('lease is isolated', () => leaseIsIsolated(a, b));
    await tried('restore restores', () => restoreRestores(a, b));
    await tried('wire is seen', () => wireIsSeen(a));
    for (const fault of faultsOf(a.lease)) await tried(`${nameOf(fault)} fires`, () => faultFires(a, fault));
    await tried('cut fires', () => cutFires(a));
    await tried('rollback fault fires', () => rollbackFaultFires(a));
    await tried('hold fires', () => holdFires(a));
    for (const by of abortKinds) await tried(`abort (${by}) fires`, () => abortFires(a, by));
    await tried('identity fault fires', () => identityIsSet(a));
    await tried('session fault fires', () => zoneIsSet(a));
    await tried('right to temporary tables', () => temporaryTables(a));
    await tried('clock is sane', () => clockIsSane(a));
  } finally {
    await a.end();
    await b.end();
  }
  return checks;
}

async function readIsIndependent(a: Rehearsal): Promise<DoctorCheck[]> {
  await a.subject.query(`INSERT INTO things (value) VALUES ('x')`);
  const seen = await a.count();
  await a.empty();
  const gone = await a.count();
  const detail = `${seen} row after another connection inserted one, ${gone} after it deleted it`;
  return [{ name: 'read is independent', ok: seen === 1 && gone === 0, detail }];
}

async function leaseIsIsolated(a: Rehearsal, b: Rehearsal): Promise<DoctorCheck[]> {
  await a.subject.query(`INSERT INTO things (value) VALUES ('x')`);
  const [here, there] = [await a.count(), await b.count()];
  await a.empty();
  const detail = `${here} row in one lease, ${there} in another taken at once`;
  return [{ name: 'lease is isolated', ok: here === 1 && there === 0, detail }];
}

async function restoreRestores(a: Rehearsal, b: Rehearsal): Promise<DoctorCheck[]> {
  await a.subject.query(`INSERT INTO things OVERRIDING SYSTEM VALUE VALUES (7, 'before')`);
  await b.subject.query(`INSERT INTO things (value) VALUES ('other')`);
  const before = await a.lease.snapshot();
  await a.subject.query(`UPDATE things SET value = 'after'; INSERT INTO things (value) VALUES ('more')`);
  await a.lease.restore(before);
  const rows = JSON.stringify(await a.subject.query('SELECT id, value FROM things'));
  const other = await b.count();
  await a.empty();
  const ok = rows === '[{"id":"7","value":"before"}]' && other === 1;
  return [{ name: 'restore restores', ok, detail: `${rows} here, ${other} row in another lease` }];
}

/** The tap sees every statement, and the other reader, which looks meanwhile, none of the rows. */
async function wireIsSeen({ lease, subject }: Rehearsal): Promise<DoctorCheck[]> {
  await subject.query('SELECT 1');
  const watch = await lease.watch({ tables: ['things'] });
  for (const sql of ['BEGIN', `INSERT INTO things (value) VALUES ('x')`, 'ROLLBACK']) await subject.query(sql);
  const { statements, samples, roundTrips } = await watch.stop();
  const kinds = statements.map(({ kind }) => kind).join(' ');
  const inside = samples.filter(({ inFlight }) => inFlight);
  const empty = inside.every(({ found }) => 'rows' in found && found.rows[0]?.things === 0);
  return [
    {
      name: 'wire is seen',
      ok: kinds === 'begin write rollback' && roundTrips === 3 && inside.length > 0 && empty,
      detail: `${kinds} in ${roundTrips} round trips, ${inside.length} looks inside${empty ? '' : ' that saw rows'}`,
    },
  ];
}

function faultsOf(lease: Lease): Fault[] {
  const rows = lease.rowFaults.map((kind): Fault => ({ at: 'row', table: 'things', nth: 2, kind }));
  const update: Fault = { at: 'row', on: 'update', table: 'things', nth: 2, kind: 'trigger' };
  return [...rows, update, { at: 'commit', table: 'things' }, { at: 'lock' }];
}

function nameOf(fault: Fault): string {
  if (fault.at !== 'row') return `${fault.at} fault`;
  return fault.on === 'update' ? 'row fault on update' : `row fault (${fault.kind})`;
}

/** Arms a fault, writes into it, and writes again when it is disarmed. */
async function faultFires(a: Rehearsal, fault: Fault): Promise<DoctorCheck[]> {
  const { lease, subject } = a;
  const name = nameOf(fault);
  const armed = await lease.arm(fault);
  const error = await subject.errorOf(`SET lock_timeout = 100; ${writeThree}`);
  const sprung = await armed.sprung();
  const left = await a.count();
  await armed.disarm();
  const fires: DoctorCheck = {
    name: `${name} fires`,
    ok: error !== null && sprung.count === 1 && sprung.raised === 1 && left === 0,
    detail: `${error ?? 'no error'}; ${inWords(sprung)}, ${left} rows left`,
  };

  await a.empty();
  const after = await subject.errorOf(writeThree);
  const stored = await a.count();
  const traces = await subject.query(`
    SELECT relname FROM pg_class WHERE relnamespace = current_schema::regnamespace AND starts_with(relname, '${ours}')
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema::regnamespace
    UNION ALL SELECT tgname FROM pg_trigger WHERE tgrelid = 'things'::regclass`);
  await a.empty();
  const disarmed: DoctorCheck = {
    name: `${name} is disarmed`,
    ok: after === null && stored === 3 && traces.length === 0,
    detail: after ?? `${stored} of 3 rows stored afterwards, ${traces.length} traces of the fault left`,
  };
  return [fires, disarmed];
}

function inWords({ count, raised }: Sprung): string {
  return `sprang ${count}, raised ${raised}`;
}

/** Arms a fault while a transaction is open, says COMMIT into it, and tells what became of the three rows. */
async function commitInto(a: Rehearsal, fault: Fault) {
  const { lease, subject } = a;
  const armed = await lease.arm(fault);
  await subject.query(beginThree);
  const committing = subject.errorOf('COMMIT');
  if (armed.reached) await Promise.race([armed.reached, committing]);
  const before = await a.count();
  await armed.disarm();
  const error = await committing;
  const { count } = await armed.sprung();
  const after = await a.count();
  await a.empty();
  return { error, count, before, after, detail: `${error ?? 'no error'}; sprang ${count}, ${after} rows left` };
}

async function cutFires(a: Rehearsal): Promise<DoctorCheck[]> {
  const cuts = [];
  for (const [commit, rows] of [
    ['before-sent', 0],
    ['before-ack', 3],
  ] as const) {
    const { error, count, after, detail } = await commitInto(a, { at: 'cut', point: { commit } });
    const ok = error !== null && count === 1 && after === rows;
    cuts.push({ name: `cut (${commit}) fires`, ok, detail });
  }
  return cuts;
}

async function rollbackFaultFires(a: Rehearsal): Promise<DoctorCheck[]> {
  const { lease, subject } = a;
  const armed = await lease.arm({ at: 'rollback' });
  await subject.query(beginThree);
  const error = await subject.errorOf('ROLLBACK');
  const { count } = await armed.sprung();
  await armed.disarm();
  const left = await a.count();
  const detail = `${error ?? 'no error'}; sprang ${count}, ${left} rows left`;
  return [{ name: 'rollback fault fires', ok: error !== null && count === 1 && left === 0, detail }];
}

async function holdFires(a: Rehearsal): Promise<DoctorCheck[]> {
  const point = { commit: 'before-sent' } as const;
  const { error, count, before, after, detail } = await commitInto(a, { at: 'hold', point });
  const ok = error === null && count === 1 && before === 0 && after === 3;
  return [{ name: 'hold fires', ok, detail: `${before} rows while it was held; ${detail}` }];
}

async function abortFires(a: Rehearsal, by: AbortKind): Promise<DoctorCheck[]> {
  const { lease, subject } = a;
  const armed = await lease.arm({ at: 'abort', by });
  const error = (await subject.errorOf(beginThree)) ?? (await subject.errorOf('COMMIT'));
  const { count } = await armed.sprung();
  await armed.disarm();
  const left = await a.count();
  const detail = `${error ?? 'no error'}; sprang ${count}, ${left} rows left`;
  return [{ name: `abort (${by}) fires`, ok: error !== null && count === 1 && left === 0, detail }];
}

async function identityIsSet(a: Rehearsal): Promise<DoctorCheck[]> {
  const start = 2n ** 53n + 1n;
  const armed = await a.lease.arm({ at: 'identity', table: 'things', start, step: 3 });
  await a.subject.query(insertThree);
  const { count } = await armed.sprung();
  await armed.disarm();
  await a.subject.query(`INSERT INTO things (value) VALUES ('d')`);
  const rows = await a.subject.query('SELECT id FROM things ORDER BY value');
  await a.empty();
  const ids = rows.map(({ id }) => String(id));
  const [last = '', ...set] = [ids.pop(), ...ids];
  const ok = set.join() === [start, start + 3n, start + 6n].join() && count === 3 && BigInt(last) < start;
  return [{ name: 'identity fault fires', ok, detail: `ids ${set.join(', ')}, ${count} counted; then ${last}` }];
}

async function zoneIsSet({ lease, subject }: Rehearsal): Promise<DoctorCheck[]> {
  const zone = 'Asia/Kathmandu';
  const inNewSession = async (): Promise<string> => {
    await subject.end();
    return String((await subject.query(`SELECT current_setting('timezone') AS zone`))[0]?.zone);
  };
  const armed = await lease.arm({ at: 'session', zone });
  const during = await inNewSession();
  const { count } = await armed.sprung();
  await armed.disarm();
  const after = await inNewSession();
  const ok = during === zone && count === 1 && after !== zone;
  return [{ name: 'session fault fires', ok, detail: `${during} in ${count} new session; then ${after}` }];
}

/** A right that not every backend needs: which is there is told, and nothing is wrong where it is not. */
async function temporaryTables({ lease, subject }: Rehearsal): Promise<DoctorCheck[]> {
  const { user, database } = lease.site as PostgresSite;
  const [row] = await subject.query(`SELECT has_database_privilege(current_database(), 'TEMPORARY') AS may`);
  const detail = row?.may
    ? 'the subject has it'
    : 'the subject has it not, and a backend that makes some fails (postgres/copy does); ' +
      `GRANT TEMPORARY ON DATABASE ${quoteName(database)} TO ${quoteName(user)} gives it`;
  return [{ name: 'right to temporary tables', ok: true, detail }];
}

const longAgo = Date.UTC(2025, 0);

async function clockIsSane({ subject }: Rehearsal): Promise<DoctorCheck[]> {
  const now = async (): Promise<number> =>
    Number((await subject.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now'))[0]?.now);
  const before = Date.now();
  const [first, second] = [await now(), await now()];
  const after = Date.now();
  // Whatever time the queries took is not a difference of the clocks.
  const difference = Math.round(Math.max(0, before - first, second - after));
  const ok = difference < 1000 && first > longAgo && second >= first;
  const detail = `${new Date(first).toISOString()}, ${difference} ms off the judge's, then ${Math.round(second - first)} ms later`;
  return [{ name: 'clock is sane', ok, detail }];
}
