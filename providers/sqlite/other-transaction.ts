import type { OtherTransaction } from '../../contracts/kernel/engine.ts';
import { openOwn } from './database.ts';
import { unlessLocked } from './direct.ts';
import type { WaitingList } from './waiting-list.ts';

/**
 * Begins a transaction that writes, on a connection of its own. Those that will wait for it enter themselves in the
 * list; `ended` is called once.
 */
export async function beginOther(
  path: string,
  list: WaitingList,
  ended: () => Promise<void>,
): Promise<OtherTransaction> {
  const db = openOwn(path, 0);
  try {
    await unlessLocked(() => db.exec('BEGIN IMMEDIATE'));
  } catch (cause) {
    db.close();
    throw cause;
  }
  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    if (!db.isOpen) return;
    try {
      // Where there is no write-ahead log, a commit waits for those that read.
      await unlessLocked(() => db.exec(how));
    } finally {
      db.close();
      list.stop();
      await ended();
    }
  };
  return {
    run: async (statement, parameters = []) => Number(db.prepare(statement).run(...parameters).changes),
    waiting: (sessions) => list.holds(sessions),
    commit: () => end('COMMIT'),
    rollback: () => end('ROLLBACK'),
  };
}
