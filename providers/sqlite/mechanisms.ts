import type { DatabaseSync } from 'node:sqlite';
import type { Fault } from '../../contracts/kernel/engine.ts';
import type { DirectConnection } from './direct.ts';
import { isBusy, unlessLocked } from './errors.ts';
import { atomically } from './transaction.ts';
import { isTrap, removeLooks, removeTrap, setLooks, setTrap, type TrapFault } from './traps.ts';

/** What the judge's own connection puts into a database for faults and recordings; nothing where that is private. */
export class Mechanisms {
  readonly #direct: DirectConnection | undefined;
  #lookers = 0;

  constructor(direct: DirectConnection | undefined) {
    this.#direct = direct;
  }

  set(nonce: string, fault: Fault): void {
    if (!this.#direct || !isLocal(fault)) return;
    const db = this.#direct.required();
    if (fault.at === 'lock') unlessLocked(() => db.exec('BEGIN IMMEDIATE'));
    else unlessLocked(() => changeSchema(db, () => setTrap(db, nonce, fault)));
  }

  remove(nonce: string, fault: Fault): void {
    const db = this.#direct?.get();
    if (!db || !isLocal(fault)) return;
    if (fault.at !== 'lock') unlessLocked(() => changeSchema(db, () => removeTrap(db, nonce)));
    else if (db.isTransaction) db.exec('ROLLBACK');
  }

  /** The triggers that let readers look are there while any recording that samples is. */
  changeLooks(by: 1 | -1): void {
    this.#lookers += by;
    const db = this.#direct?.get();
    if (!db) return;
    try {
      if (by === 1) changeSchema(db, () => setLooks(db));
      else if (this.#lookers === 0) changeSchema(db, () => removeLooks(db));
    } catch (cause) {
      // Inside a transaction that the subject holds there is no looking into statements, only between them.
      if (!isBusy(cause)) throw cause;
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
