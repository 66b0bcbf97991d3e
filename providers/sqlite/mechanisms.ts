import type { DatabaseSync } from 'node:sqlite';
import { type Fault, LeftLocked } from '../../contracts/kernel/engine.ts';
import { type DirectConnection, unlessLocked } from './direct.ts';
import { atomically } from './transaction.ts';
import { isTrap, removeLooks, removeTrap, setLooks, setTrap, type TrapFault } from './traps.ts';

/** What the judge's own connection puts into a database for faults and recordings; nothing where that is private. */
export class Mechanisms {
  readonly #direct: DirectConnection | undefined;
  #lookers = 0;

  constructor(direct: DirectConnection | undefined) {
    this.#direct = direct;
  }

  async set(nonce: string, fault: Fault): Promise<void> {
    const direct = this.#direct;
    if (!direct || !isLocal(fault)) return;
    await unlessLocked(() => {
      const db = direct.required();
      if (fault.at === 'lock') db.exec('BEGIN IMMEDIATE');
      else changeSchema(db, () => setTrap(db, nonce, fault));
    });
  }

  async remove(nonce: string, fault: Fault): Promise<void> {
    if (!isLocal(fault)) return;
    await unlessLocked(() => {
      const db = this.#direct?.get();
      if (!db) return;
      if (fault.at !== 'lock') changeSchema(db, () => removeTrap(db, nonce));
      else if (db.isTransaction) db.exec('ROLLBACK');
    });
  }

  /** The triggers that let readers look are there while any recording that samples is. */
  async changeLooks(by: 1 | -1): Promise<void> {
    this.#lookers += by;
    try {
      await unlessLocked(() => {
        const db = this.#direct?.get();
        if (!db) return;
        if (by === 1) changeSchema(db, () => setLooks(db));
        else if (this.#lookers === 0) changeSchema(db, () => removeLooks(db));
      });
    } catch (cause) {
      // Inside a transaction that the subject holds there is no looking into statements, only between them.
      if (!(cause instanceof LeftLocked)) throw cause;
    }
  }
}

/** Whether the database itself carries the fault. */
function isLocal(fault: Fault): fault is TrapFault | Extract<Fault, { at: 'lock' }> {
  return isTrap(fault) || fault.at === 'lock';
}

function changeSchema(db: DatabaseSync, work: () => void): void {
  // A lock of ours is a transaction too; what is set inside it could not be seen by anybody, nor outlast it.
  if (db.isTransaction) throw new Error('sqlite: the lock must be disarmed first');
  atomically(db, work);
}
