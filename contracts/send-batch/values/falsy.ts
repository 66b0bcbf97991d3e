import { failureText, mustAgree, mustBeExact, mustHaveStoredAll } from '../../kernel/checks.ts';
import { type Bench, type Guard, guard, type Rig, Violation } from '../../kernel/guard.ts';
import { sameJson, short } from '../../kernel/print.ts';
import { mustBeTrue } from '../../kernel/true-outcomes.ts';
import { failureOf, type StoredItem, type Written } from '../../kernel/writes.ts';
import { messages, offeredOptions } from '../messages.ts';
import type { Message } from '../port.ts';
import { sendWrites as w } from '../writes.ts';

export const explicitFalsyIsKept: Guard = guard({
  id: 'send-batch/explicit-falsy-is-kept',
  statement:
    'Explicit blanks (0, false, empty text, null, [], {}) are kept exact in a body; as an option they are not the same as absent, unless declared so.',
  proves: ['falsy bodies stored'],
  async check(bench) {
    await bench.each('bodies', falsyBodies(bench), (body) => bodyIsKept(bench, body));
    for (const [option, blank] of blankOptions(bench)) {
      await bench.case(`option-${option}`, () => optionIsKept(bench, option, blank));
    }
    const { offers, blankIsAbsent } = bench.declaration;
    if (offers.includes('dedupeKey')) {
      const isAbsent = blankIsAbsent.includes('dedupeKey');
      await bench.case('option-dedupeKey', () =>
        isAbsent ? optionIsAbsent(bench, 'dedupeKey', '') : emptyKeyIsAKey(bench),
      );
    }
    if (offers.includes('callerIds')) {
      const isAbsent = blankIsAbsent.includes('callerIds');
      await bench.case('option-id', () => (isAbsent ? optionIsAbsent(bench, 'id', '') : emptyIdIsKept(bench)));
    }
    if (offeredOptions(bench).includes('headers')) {
      await bench.case('inside-headers', async () => {
        const headers = { text: '', number: 0, boolean: false, nothing: null, list: [], object: {} };
        await keptOrRefused(bench, { headers }, 'headers that hold blanks');
      });
    }
  },
});

function falsyBodies(bench: Bench): unknown[] {
  switch (bench.declaration.body) {
    case 'text':
      return [''];
    case 'bytes':
      return [new Uint8Array()];
    case 'json': {
      const blanks = [0, false, '', null, [], {}];
      return [...blanks, blanks, { zero: 0, no: false, text: '', nothing: null, list: [], object: {} }];
    }
  }
}

/** Sends the body between two plain messages and reads it back; its row is the one without a nonce of this run. */
async function bodyIsKept(bench: Bench, body: unknown): Promise<void> {
  const rig = await bench.openEmpty();
  const [before, after] = messages(bench, 2, 'bare');
  const batch: Message[] = [before!, { body }, after!];
  const failure = failureOf(await w.write(rig, batch));
  if (failure) throw new Violation(`a batch with the body ${short(body)} failed: ${failureText(failure)}`);
  const own = (await w.stored(bench, rig)).filter(({ token }) => token === undefined);
  const found = own.map(({ fields }) => fields.body);
  if (found.length !== 1 || !sameJson(body, found[0])) {
    throw new Violation(
      `the body ${short(body)} was stored as ${found.length === 1 ? short(found[0]) : short(found)}`,
      {
        input: 'one body between two plain messages',
        slots: [{ slot: 1, mark: 'changed', sent: short(body), expected: 'the same', stored: short(found) }],
      },
    );
  }
  bench.record('falsy bodies stored', 1);
}

type BlankOption = Exclude<keyof Message, 'body' | 'dedupeKey' | 'id' | 'job'>;

/** The blank of every option that is offered. */
function blankOptions(bench: Bench): [BlankOption, unknown][] {
  const { offers, destinations } = bench.declaration;
  const blanks: [BlankOption, unknown][] = [
    ['delay', 0],
    ['expiration', 0],
    ['priority', 0],
    ['route', ''],
    ['correlationId', ''],
    ['headers', {}],
    ['columns', { tenant: '' }],
  ];
  // Among names that are declared, a blank one is unknown.
  if (destinations === 'any') blanks.push(['destination', '']);
  return blanks.filter(([option]) => offers.includes(option));
}

async function optionIsKept(bench: Bench, option: BlankOption, blank: unknown): Promise<void> {
  if (bench.declaration.blankIsAbsent.includes(option)) await optionIsAbsent(bench, option, blank);
  else await keptOrRefused(bench, { [option]: blank }, nameOf(option, blank));
}

function nameOf(option: keyof Message, blank: unknown): string {
  return `${option} = ${short(blank)}`;
}

/** Sends two messages with a blank round one without the option, as which they have to be stored. */
async function optionIsAbsent(bench: Bench, option: keyof Message, blank: unknown): Promise<void> {
  const name = nameOf(option, blank);
  const rig = await bench.open();
  const batch = messages(bench, 3, 'bare').map((message, slot) =>
    slot === 1 ? message : { ...message, [option]: blank },
  );
  const written = await w.write(rig, batch);
  const failure = failureOf(written);
  if (failure)
    throw new Violation(`a batch with ${name}, which is declared to be absent, failed: ${failureText(failure)}`);
  const rows = await mustHaveStoredAll(bench, w, rig, batch, `a batch with ${name}`);
  const found = rows.map((row) => ({ row, by: written }));
  const differences = await w.rowDifferences(bench, found, Array(found.length).fill(found[1]!));
  mustAgree(
    w,
    batch,
    differences.map((list) => list.filter(({ field }) => field !== 'body')),
    `with ${name}`,
    'stored as if it were absent, as declared',
  );
  bench.record('blank options compared', 1);
}

/** An empty key is a key: it is stored, and a message that is sent again under it is recognised. */
async function emptyKeyIsAKey(bench: Bench): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, 3, 'bare').map((message, slot) =>
    slot === 1 ? { ...message, dedupeKey: '' } : message,
  );
  const what = 'a batch with dedupeKey = ""';
  const row = await storedOrRefused(bench, rig, batch, what);
  if (row === undefined) return;
  mustHold(batch, 'dedupeKey', row.fields.dedupeKey ?? null, what);
  await w.write(rig, [batch[1]!]);
  // How the second is told is for the guards about keys.
  const rows = (await w.stored(bench, rig)).filter(({ token }) => token === row.token).length;
  if (rows > 1)
    throw new Violation(
      `a message that is sent again under dedupeKey = "" is stored again: there are ${rows} rows of it`,
    );
  bench.record('blank options compared', 1);
}

async function emptyIdIsKept(bench: Bench): Promise<void> {
  const rig = await bench.open();
  const batch = messages(bench, 3, 'bare').map((message, slot) => (slot === 1 ? { ...message, id: '' } : message));
  const what = 'a batch with id = ""';
  const row = await storedOrRefused(bench, rig, batch, what);
  if (row === undefined) return;
  mustHold(batch, 'id', row.id, what);
  bench.record('blank options compared', 1);
}

/** Fails the guard unless message 1, which has a blank, is stored with it. */
function mustHold(batch: readonly Message[], field: 'dedupeKey' | 'id', found: unknown, what: string): void {
  const differences = batch.map((_, slot) => (slot === 1 && found !== '' ? [{ field, expected: '', found }] : []));
  mustAgree(w, batch, differences, what, 'stored as sent');
}

/** What is stored of message 1, which has a blank; undefined where that was refused in words. */
async function storedOrRefused(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  what: string,
): Promise<StoredItem | undefined> {
  const alone = [batch[1]!];
  const elsewhere = await bench.open();
  const tried = await w.write(elsewhere, alone);
  if (failureOf(tried)) {
    await mustBeRefusedInWords(bench, elsewhere, alone, tried, what);
    return undefined;
  }
  const written = await w.write(rig, batch);
  const failure = failureOf(written);
  if (failure) throw new Violation(`${what} failed: ${failureText(failure)}; alone that message is stored`);
  return (await mustHaveStoredAll(bench, w, rig, batch, what))[1]!;
}

/** Sends messages with a blank among others; it is kept exact, or refused in words. */
async function keptOrRefused(bench: Bench, blank: Partial<Message>, name: string): Promise<void> {
  const rig = await bench.open();
  const batch: Message[] = [
    ...messages(bench, 1).map((message) => ({ ...message, ...blank })),
    ...messages(bench, 1, 'bare').map((message) => ({ ...message, ...blank })),
    ...messages(bench, 1, 'bare'),
  ];
  const written = await w.write(rig, batch);
  const what = `a batch with ${name}`;
  const failure = failureOf(written);
  if (!failure) {
    mustBeExact(bench, w, batch, await mustHaveStoredAll(bench, w, rig, batch, what), written, what);
    bench.record('blank options compared', 1);
    return;
  }
  await mustBeRefusedInWords(bench, rig, batch, written, what);
}

async function mustBeRefusedInWords(
  bench: Bench,
  rig: Rig,
  batch: readonly Message[],
  written: Written,
  what: string,
): Promise<void> {
  const failure = failureOf(written)!;
  if (failure.message.trim() === '')
    throw new Violation(`${what} was refused without a word (${failureText(failure)})`);
  await mustBeTrue(bench, w, rig, batch, written, `${what}, which was refused,`);
  bench.record('blank options refused', 1);
}
