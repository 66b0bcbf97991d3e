import { mustHaveStoredAll, mustSucceed, premise } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, NotApplicable, type Rig, Violation } from '../../kernel/guard.ts';
import { severalChunks, tablesWritten } from '../../kernel/tables.ts';
import { messages } from '../messages.ts';
import { sendWrites as w } from '../writes.ts';
import { mustNameTheirRows } from './naming.ts';

export const idsSurviveAnyStep: Guard = guard({
  id: 'send-batch/ids-survive-any-step',
  statement:
    'With identities that step by 3 from an odd offset, and ids taken by another writer, every id still names its own message.',
  needs: ['ids', 'identityStart', 'identityStep'],
  proves: ['gaps between ids', 'messages found by id'],
  async check(bench) {
    const asked = await askedOfIds(bench, severalChunks(bench));
    await bench.case('steps-by-three', async () => {
      const start = 1001n;
      const rig = await rigWithIdentity(bench, { start, step: 3 });
      const ids = await idsOfABatch(bench, rig, severalChunks(bench), asked);
      mustFollow(ids, start);
      bench.record('gaps between ids', ids.filter((id, i) => i > 0 && id - ids[i - 1]! > 1n).length);
    });
    const { twoHosts } = bench.facts.lacks;
    bench.leaveOut('another-writer', twoHosts);
    if (twoHosts !== undefined) return;
    await bench.case('another-writer', async () => {
      const rig = await rigWithIdentity(bench, { start: 1n, step: 1 });
      const rival = await bench.open({ lease: rig.lease, anotherHost: true });
      const others = messages(bench, severalChunks(bench));
      const batch = messages(bench, severalChunks(bench));
      const [written] = await Promise.all([w.write(rig, batch), w.write(rival, others)]);
      mustSucceed(w, batch, written, 'a batch beside another writer');
      await mustNameTheirRows(bench, rig, batch, written, asked);
    });
  },
});

export const idsAreLossless: Guard = guard({
  id: 'send-batch/ids-are-lossless',
  statement: 'Ids beyond 2^53 are reported digit by digit.',
  needs: ['ids', 'identityStart'],
  proves: ['ids beyond 2^53'],
  async check(bench) {
    const asked = await askedOfIds(bench, 11);
    const start = 2n ** 53n + 1n;
    const rig = await rigWithIdentity(bench, { start, step: 1 });
    const ids = await idsOfABatch(bench, rig, 11, asked);
    mustFollow(ids, start);
    bench.record('ids beyond 2^53', ids.filter((id) => id > 2n ** 53n).length);
    bench.record('largest id', String(ids.at(-1)));
  },
});

/**
 * What can be asked of ids here: that they name their own messages; or, where they are out of order with any identities,
 * which is for another guard, that they name rows.
 */
async function askedOfIds(bench: Bench, size: number): Promise<'own' | 'real'> {
  const batch = async (asked: 'own' | 'real') => {
    await idsOfABatch(bench, await bench.open(), size, asked);
    return asked;
  };
  return batch('own').catch((error: unknown) => {
    if (!(error instanceof Violation)) throw error;
    return premise('a batch with identities as the engine gives them, which other guards of ids are about,', () =>
      batch('real'),
    );
  });
}

/** A subject on a namespace whose identities begin and step as told, in every table that a batch numbers. */
async function rigWithIdentity(bench: Bench, identity: Identity): Promise<Rig> {
  const tables = Object.keys(await tablesWritten(bench, w, messages(bench, 3)));
  const rig = await bench.open();
  await armIdentity(rig, tables, identity);
  return rig;
}

/** The next identity, and how far the ones after it are apart. */
interface Identity {
  start: bigint;
  step: number;
}

/** Makes the tables that number their rows go on from an identity. */
export async function armIdentity(rig: Rig, tables: readonly string[], identity: Identity): Promise<void> {
  let reason = 'no table has an identity';
  let armed = 0;
  for (const table of tables) {
    try {
      await rig.lease.arm({ at: 'identity', table, ...identity });
      armed += 1;
    } catch (error) {
      if (!(error instanceof NotApplicable)) throw error;
      reason = error.message;
    }
  }
  if (armed === 0) throw new NotApplicable('engine', reason);
}

/** Sends a batch, checks that its ids name their messages, and returns the ids as stored, ascending. */
async function idsOfABatch(bench: Bench, rig: Rig, size: number, asked: 'own' | 'real'): Promise<bigint[]> {
  const batch = messages(bench, size);
  const written = await w.write(rig, batch);
  mustSucceed(w, batch, written, `a batch of ${size}`);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, `a batch of ${size}`);
  await mustNameTheirRows(bench, rig, batch, written, asked);
  bench.record('messages found by id', size);
  if (rows.some((row) => !/^\d+$/.test(row.id))) {
    throw new NotApplicable('backend', `ids are no whole numbers (${rows[0]!.id})`);
  }
  return rows.map((row) => BigInt(row.id)).sort((a, b) => (a < b ? -1 : 1));
}

/** A backend may count its items by itself, while only a table beside theirs numbers its rows. */
function mustFollow(ids: readonly bigint[], start: bigint): void {
  const last = ids.at(-1)!;
  if (last < start) throw new NotApplicable('backend', `its ids do not follow the identity of a table (${last})`);
}
