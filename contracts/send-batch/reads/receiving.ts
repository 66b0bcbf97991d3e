import { type Rig, Violation } from '../../kernel/guard.ts';
import { short } from '../../kernel/print.ts';

/** Takes up to so many messages that are due. */
export async function receive(rig: Rig, most: number): Promise<unknown[]> {
  const settled = await rig.subject.call('receive', [most]);
  if ('threw' in settled) throw new Violation(`receive(${most}) threw ${settled.threw.name}: ${settled.threw.message}`);
  if (!Array.isArray(settled.value)) {
    throw new Violation(`receive(${most}) returned ${short(settled.value)}, no list of messages`);
  }
  if (settled.value.length > most) throw new Violation(`receive(${most}) returned ${settled.value.length} messages`);
  return settled.value;
}

/** The body of what was received. */
export function bodyOf(received: unknown): unknown {
  return (received as { body?: unknown } | null)?.body;
}
