import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { openPort, variantsOf } from '../fixtures/open-variant.ts';
import { at, base, expecting, type OpenedWindows, schedule, slot, testsOfWindows } from '../fixtures/windows.ts';
import { directoryPerTest } from './fixtures/directory-per-test.ts';
import backend from './index.ts';
import { statements } from './window-schema.ts';

let path: string;
let reader: DatabaseSync;
let close: () => unknown = () => {};

directoryPerTest((directory) => {
  path = join(directory, 'schedules.db');
});
afterEach(() => {
  close();
  reader?.close();
});

async function open(variant: string): Promise<OpenedWindows> {
  const port = await openPort(backend, variant, 'materialize-window', { provider: 'sqlite', mode: 'file', path });
  close = () => port.close?.();
  reader = new DatabaseSync(path);
  const rows = (statement: string) =>
    reader
      .prepare(statement)
      .all()
      .map((row) => ({ ...row }));
  return {
    port,
    children: () => rows(statements.rows),
    schedule: () => rows(statements.schedules).find(({ id }) => id === 's')!,
    audits: () => rows(statements.audits),
  };
}

const variants = variantsOf(backend, 'materialize-window');
testsOfWindows(variants, variants, open);

describe.each(variants)('%s', (variant) => {
  test('slots a microsecond apart are two, and what is finer is one', async () => {
    const { port, children } = await open(variant);
    await port.putSchedules([schedule]);
    const instants = ['000001Z', '000002Z', '0000024Z', '0000020+00:00'];
    const slots = instants.map((fraction) => slot(0, { at: at(1).replace('000Z', fraction), next: at(2) }));
    const { outcomes } = await port.materializeWindow!({ ...expecting(), slots }, {});
    const created = { created: expect.any(BigInt) };
    expect(outcomes).toEqual([created, created, 'already-exists', 'already-exists']);
    expect(children().map(({ slotAt }) => slotAt)).toEqual([base + 60_000.001, base + 60_000.002]);
  });

  test('a cursor of microseconds is told as it is, and matched', async () => {
    const { port } = await open(variant);
    await port.putSchedules([schedule]);
    const next = '2031-03-03T04:06:00.123456Z';
    const window = { ...expecting(), slots: [slot(0, { next })] };
    expect(await port.materializeWindow!(window, {})).toMatchObject({ cursor: next });
    const again = await port.materializeWindow!({ ...window, expectedCursor: next.replace('56Z', '57Z') }, {});
    expect(again.outcomes).toEqual(['cursor-moved']);
  });

  test.each(['occurrences', 'audits'])('leaves nothing when the engine refuses a row of %s', async (table) => {
    const opened = await open(variant);
    await opened.port.putSchedules([schedule]);
    const before = opened.schedule();
    reader.exec(`CREATE TRIGGER refusal BEFORE INSERT ON ${table} WHEN NEW.slot_at = ${base + 120_000} * 1000
                 BEGIN SELECT RAISE(ABORT, 'refused by the engine'); END`);
    const call = () => opened.port.materializeWindow!({ ...expecting(), slots: [slot(0), slot(1), slot(2)] }, {});
    expect(call).toThrow(expect.objectContaining({ message: 'refused by the engine', retryable: false }));
    expect([opened.children(), opened.audits(), opened.schedule()]).toEqual([[], [], before]);
    reader.exec('DROP TRIGGER refusal');
    expect((await call()).outcomes).toHaveLength(3);
  });

  test('a conflict on anything but the slot is an error', async () => {
    const { port, children } = await open(variant);
    await port.putSchedules([schedule]);
    reader.exec('CREATE UNIQUE INDEX one_body ON occurrences (body)');
    const twins = [slot(0), slot(1, { child: { body: 0 } })];
    const call = () => port.materializeWindow!({ ...expecting(), slots: twins }, {});
    expect(call).toThrow('UNIQUE constraint failed: occurrences.body');
    expect(children()).toEqual([]);
  });
});

test('who waits too long for the lock may try again', async () => {
  const { port } = await open('json-each');
  await port.putSchedules([schedule]);
  reader.exec('BEGIN IMMEDIATE');
  const call = () => port.materializeWindow!({ ...expecting(), slots: [slot(0)] }, {});
  expect(call).toThrow(expect.objectContaining({ message: 'database is locked', retryable: true }));
  reader.exec('ROLLBACK');
  expect(await call()).toMatchObject({ outcomes: [{ created: 1n }] });
});

test('the statements cancel a schedule and add a child, once for each slot', async () => {
  const { port, children, schedule: stored } = await open('json-each');
  await port.putSchedules([schedule]);
  const add = () => reader.prepare(statements.addChild).run('s', '2031-03-03T09:35:00.25+05:30');
  add();
  expect(add).toThrow('UNIQUE constraint failed: occurrences.schedule, occurrences.slot_at');
  expect(children()).toMatchObject([{ schedule: 's', slotAt: base + 250, dueAt: base + 250 }]);
  expect(reader.prepare(statements.cancel).run('s').changes).toBe(1);
  expect(stored()).toMatchObject({ status: 'cancelled', cursor: base });
});
