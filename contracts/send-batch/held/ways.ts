import { mustSucceed } from '../../kernel/checks.ts';
import type { Bench, HeldTransaction, Rig } from '../../kernel/guard.ts';
import { severalChunks } from '../../kernel/tables.ts';
import { failureOf, type Writes } from '../../kernel/writes.ts';
import type { Sent } from '../left.ts';
import { beside, messages, withEveryOffer } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/** A way to send messages in a transaction of the caller's. */
export interface Way {
  /** Of the case. */
  name: string;
  /** A call, in words. */
  what: string;
  /** The messages of each call, one call after the other. */
  batches: Message[][];
  write: Writes<Message>['write'];
  /** It asks for something beside the transaction, which the backend may refuse to combine with it. */
  combines: boolean;
}

/** The ways in which messages can get into a transaction, as far as what they use is offered or claimed. */
export function waysToSend(bench: Bench): Way[] {
  const { offers, extras } = bench.declaration;
  const size = severalChunks(bench);
  const batches = (...sizes: number[]) => sizes.map((n) => messages(bench, n));
  const context = bench.token();
  const plain = { what: 'a batch', write: w.write, combines: false };
  const every = { ...plain, what: 'a batch that uses all that messages can ask for', combines: true };
  return [
    { ...plain, name: 'full', batches: batches(size) },
    { ...plain, name: 'mixed', batches: [messages(bench, size, 'mixed')] },
    { ...plain, name: 'one-message', what: 'a batch of one message', batches: batches(1) },
    { ...plain, name: 'several-batches', what: 'one of several batches', batches: batches(3, size, 1, 3, 3) },
    {
      ...plain,
      name: 'single-send',
      what: 'a single send',
      batches: batches(1),
      write: (rig, [message], options) => w.writeOne(rig, message!, options),
    },
    ...(beside.some((offer) => offers.includes(offer))
      ? [{ ...every, name: 'every-offer', batches: batches(size).map((batch) => withEveryOffer(bench, batch)) }]
      : []),
    ...(w.otherCalls?.(bench) ?? []).map(({ name, how, write }): Way => {
      return { name, what: `a batch ${how}`, batches: batches(size), write, combines: true };
    }),
    ...(extras.includes('ambient') ? [inContext(context, batches(size))] : []),
  ];
}

function inContext(context: string, batches: Message[][]): Way {
  return {
    name: 'in-a-context',
    what: 'a batch in a context',
    batches,
    write: (rig, batch, options) => w.write(rig, batch, { ...options, context }),
    combines: true,
  };
}

/**
 * Sends the messages that way, which must work; undefined where what the way combines is refused for good, so that
 * nothing is said of it.
 */
export async function sendIn(rig: Rig, way: Way, transaction?: HeldTransaction): Promise<Sent[] | undefined> {
  const sent: Sent[] = [];
  for (const batch of way.batches) {
    const by = await way.write(rig, batch, transaction ? { transaction } : {});
    if (way.combines && failureOf(by)?.retryable === false) return undefined;
    mustSucceed(w, batch, by, transaction ? `${way.what} in the caller's transaction` : way.what);
    sent.push({ batch, by });
  }
  return sent;
}
