import type { Fault, Found, Lease, Sprung } from '../../contracts/kernel/engine.ts';
import type { DoctorCheck } from '../provider.ts';
import type { MemorySite } from '../sites.ts';
import { agent } from './agent.ts';
import { openStore, type Store } from './store.ts';

/** A lease with its store in this thread, as a host of the subject's would hold it. */
async function rehearse(lease: Lease): Promise<Store> {
  await lease.attach({ call: async (method, args) => agent.call(lease.site, method, args) });
  const store = openStore((lease.site as MemorySite).name);
  store.createTable('things');
  return store;
}

function put(store: Store, value: string): number {
  const transaction = store.begin();
  const id = transaction.insert('things', { value });
  transaction.commit();
  return id;
}

/** Inserts a row, and changes it at once. */
function putTwice(store: Store, value: string): void {
  const transaction = store.begin();
  const id = transaction.insert('things', { value: 'at first' });
  transaction.update('things', id, { value });
  transaction.commit();
}

function attempt(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (cause) {
    return (cause as Error).message;
  }
}

const count = (found: Found): number => ('rows' in found ? found.rows.length : -1);

/** Tries the store and its agent on two leases of their own. */
export async function examine(lease: () => Promise<Lease>): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = [];
  const check = (name: string, ok: boolean, detail: string): number => checks.push({ name, ok, detail });
  const [a, b] = [await lease(), await lease()];
  try {
    const [one, other] = [await rehearse(a), await rehearse(b)];

    const empty = await a.snapshot();
    const id = put(one, 'x');
    const [seen, elsewhere] = [count(await a.read('things')), count(await b.read('things'))];
    check('lease is isolated', seen === 1 && elsewhere === 0, `${seen} row here, ${elsewhere} in a second lease`);

    const transaction = one.begin();
    transaction.delete('things', id);
    transaction.commit();
    const gone = count(await a.read('things'));
    check('read is independent', seen === 1 && gone === 0, `${seen} row after an insert, ${gone} after its deletion`);

    put(one, 'y');
    put(other, 'z');
    await a.restore(empty);
    const [restored, kept] = [count(await a.read('things')), count(await b.read('things'))];
    check('restore restores', restored === 0 && kept === 1, `${restored} rows here, ${kept} in a second lease`);

    const faults: [name: string, Fault][] = [
      ['row', { at: 'row', table: 'things', nth: 1, kind: 'trigger' }],
      ['row on update', { at: 'row', on: 'update', table: 'things', nth: 1, kind: 'trigger' }],
      ['commit', { at: 'commit', table: 'things' }],
    ];
    for (const [name, fault] of faults) {
      const armed = await a.arm(fault);
      const error = attempt(() => putTwice(one, 'never'));
      const sprung: Sprung = await armed.sprung();
      await armed.disarm();
      const fires = error?.includes(armed.nonce) === true && sprung.count === 1 && sprung.raised === 1;
      check(`fault at ${name} fires`, fires, `${error ?? 'no error'}; counted ${sprung.count}`);
      const after = attempt(() => putTwice(one, 'again'));
      check(`fault at ${name} is disarmed`, after === null, after ?? 'the next row was stored');
    }

    const armed = await a.arm({ at: 'rollback' });
    const open = one.begin();
    const error = attempt(() => open.rollback());
    const { count: sprang } = await armed.sprung();
    await armed.disarm();
    const again = attempt(() => open.rollback());
    const refused = error?.includes(armed.nonce) === true && sprang === 1 && again === null;
    check(
      'fault at rollback fires',
      refused,
      `${error ?? 'no error'}; counted ${sprang}; then ${again ?? 'rolled back'}`,
    );

    const [before, now] = [performance.now(), Date.now()];
    const sane = now > Date.UTC(2025, 0) && performance.now() >= before;
    check('clock is sane', sane, new Date(now).toISOString());
  } finally {
    await a.release();
    await b.release();
  }
  return checks;
}
