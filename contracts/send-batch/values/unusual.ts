import { mustBeExact, mustHaveStoredAll, mustSucceed } from '../../kernel/checks.ts';
import { type Bench, type Rig, Violation } from '../../kernel/guard.ts';
import { count, short } from '../../kernel/print.ts';
import { mustBeRefused } from '../../kernel/refused.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type Written } from '../../kernel/writes.ts';
import { messages } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

/** Texts that look like something else, or that are easily tidied up. */
const texts = [
  '007',
  '1e3',
  'true',
  'null',
  '{"a":[1]}',
  '2024-02-30',
  ' padded ',
  'Mixed Case',
  // An accent as a character of its own.
  'cafe\u0301',
  'tab\tand\r\nline',
  `it's "quoted" \\ %_`,
  `long-${'x'.repeat(300)}`,
];

/** Beyond what two bytes, four bytes or a small floating-point number can hold, and below zero. */
const priorities = [-1, -32_769, 32_768, 16_777_217, 2 ** 31 - 1, 2 ** 31, 2 ** 40];

const longName = `x-${'long-'.repeat(12)}`;

/** Each has names of its own, so that nothing of one can hide among those of another. */
const headers: Record<string, unknown>[] = [
  { 'x-nested': { list: [1, 'two', null], deep: { flag: false } } },
  { 'x-case': 'lower', 'X-Case': 'upper' },
  { [`${longName}a`]: 'first', [`${longName}b`]: 'second' },
  { 'x-lines': 'first\r\nsecond\tthird', 'x-spaces': '  two  ' },
  { 'x-text': '007', 'x-number': 7, 'x-word': 'true', 'x-flag': true },
  { 'x é 日本': 'ü' },
];

/** Every unusual value of what is offered, each in a message of its own. */
export function unusualMessages(bench: Bench): Message[] {
  const { offers, destinations } = bench.declaration;
  const unusual: Partial<Message>[] = [
    ...texts.flatMap((text) => [{ route: text }, { correlationId: text }, { columns: { tenant: text } }]),
    ...(destinations === 'any' ? texts.map((destination) => ({ destination })) : []),
    ...priorities.map((priority) => ({ priority })),
    ...headers.map((own) => ({ headers: own })),
  ];
  const offered = unusual.filter((options) => Object.keys(options).every((option) => offers.some((o) => o === option)));
  const bodies = messages(bench, offered.length, 'bare');
  return offered.map((options, slot) => ({ ...bodies[slot]!, ...options }));
}

/**
 * Sends unusual values, several in a batch: they are kept exact. Where the batch is refused, each value alone has to be
 * kept or refused, and those that are kept alone are kept together.
 */
export async function unusualValuesAreKept(bench: Bench, unusual: readonly Message[]): Promise<void> {
  const rig = await bench.open();
  const most = bench.declaration.limits.maxItems ?? unusual.length;
  for (let from = 0; from < unusual.length; from += most) {
    const batch = unusual.slice(from, from + most);
    if (await areKept(bench, rig, batch, 'a batch of unusual values')) continue;
    const kept: Message[] = [];
    for (const message of batch) {
      const { body: _body, ...options } = message;
      if (await areKept(bench, rig, [message], `a message with ${short(options, 80)}`)) kept.push(message);
    }
    if (kept.length === batch.length) {
      const values = count(kept.length, 'unusual values');
      throw new Violation(`a batch of ${values} is refused, although each of them is stored when it is sent alone`);
    }
    if (kept.length > 0) await mustBeKept(bench, rig, kept, await w.write(rig, kept), 'the values that are kept alone');
  }
}

/** Whether the messages are stored; they are exact then, and else refused before any write. Leaves nothing of them. */
async function areKept(bench: Bench, rig: Rig, batch: readonly Message[], what: string): Promise<boolean> {
  const before = await rig.lease.snapshot();
  const written = await w.write(rig, batch);
  const kept = failureOf(written) === undefined;
  if (kept) await mustBeKept(bench, rig, batch, written, what);
  else if (bench.declaration.givesUp.atomic !== undefined) await mustBeTrue(bench, w, rig, batch, written, what);
  else await mustBeRefused(bench, w, rig, { items: batch, slots: 'all', before }, written, what);
  await rig.lease.restore(before);
  bench.record(kept ? 'unusual values kept' : 'batches with unusual values refused', kept ? batch.length : 1);
  return kept;
}

async function mustBeKept(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  mustSucceed(w, batch, written, what);
  mustBeExact(bench, w, batch, await mustHaveStoredAll(bench, w, rig, batch, what), written, what);
}
