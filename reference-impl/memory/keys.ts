import type { Declaration, KeyDifference } from '../../index.ts';
import type { NewMessage } from './new-message.ts';

/** When two messages have the same key, and what becomes of the second. */
export interface KeyRule {
  policy: Declaration['keyPolicy'];
  /** Differences that do not count. */
  equal: KeyDifference[];
}

type Keyed = Pick<NewMessage, 'dedupeKey' | 'destination'>;

/** A text that two messages share exactly when they have the same key by this rule; undefined without a key. */
export function keyIdentity({ dedupeKey, destination }: Keyed, { equal }: KeyRule): string | undefined {
  if (dedupeKey === null) return undefined;
  let key = dedupeKey;
  if (equal.includes('normalForm')) key = key.normalize('NFC');
  if (equal.includes('trailingSpace')) key = key.replace(/ +$/, '');
  if (equal.includes('case')) key = key.toLowerCase();
  return JSON.stringify(equal.includes('destination') ? [key] : [key, destination]);
}

/** A key that is taken, where that is an error. */
export class DuplicateKey extends Error {
  override name = 'DuplicateKey';
  readonly code = 'DUPLICATE_KEY';
  readonly retryable = false;
  readonly position: number;

  constructor(position: number, key: string) {
    super(`message ${position}: the key ${JSON.stringify(key)} is taken`);
    this.position = position;
  }
}
