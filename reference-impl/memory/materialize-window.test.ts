import { expect, test } from 'vitest';
import type { MemorySite } from '../../index.ts';
import { openStore } from '../../memory.ts';
import { openPort, variantsOf } from '../fixtures/open-variant.ts';
import { at, expecting, type OpenedWindows, schedule, slot, testsOfWindows } from '../fixtures/windows.ts';
import backend from './index.ts';
import { tables } from './schedules.ts';

let stores = 0;

async function open(variant: string): Promise<OpenedWindows> {
  const site: MemorySite = { provider: 'memory', mode: 'memory', name: `windows-test-${stores++}` };
  const port = await openPort(backend, variant, 'materialize-window', site);
  const store = openStore(site.name);
  return {
    port,
    children: () => store.rows(tables.children),
    schedule: () => store.rows(tables.schedules).find((row) => row.schedule === 's')!,
    audits: () => store.rows(tables.audits).map(({ id, ...row }) => row),
  };
}

testsOfWindows(variantsOf(backend, 'materialize-window'), ['plain', 'refuse-disorder'], open);

test('slot-by-slot has no member for a window', async () => {
  const { port } = await open('slot-by-slot');
  expect('materializeWindow' in port).toBe(false);
});

test.each([
  ['not ascending', [1, 3, 2], 2],
  ['before the cursor', [-1, 0], 0],
])('refuse-disorder refuses slots %s whatever the schedule is, plain folds them', async (_, indexes, position) => {
  const window = { ...expecting(), slots: indexes.map((index) => slot(index)) };
  const refusing = await open('refuse-disorder');
  refusing.port.putSchedules([schedule]);
  for (const id of ['s', 'nobody']) {
    const call = () => refusing.port.materializeWindow!({ ...window, schedule: id }, {});
    expect(call).toThrow(expect.objectContaining({ position, retryable: false }));
  }
  const single = { ...expecting(), slot: slot(-1) };
  expect(() => refusing.port.materialize(single, {})).toThrow(expect.objectContaining({ position: 0 }));
  expect(refusing.children()).toEqual([]);

  const plain = await open('plain');
  plain.port.putSchedules([schedule]);
  const result = await plain.port.materializeWindow!(window, {});
  expect(result).toMatchObject({ outcomes: indexes.map(() => ({ created: expect.any(Number) })) });
  expect(result.cursor).toBe(at(indexes.at(-1)! + 1));
});

test('nothing is left when the store refuses a row or the commit', async () => {
  const { port, children, schedule: stored, audits } = await open('plain');
  await port.putSchedules([schedule]);
  const store = openStore(`windows-test-${stores - 1}`);
  const before = stored();
  const refuse = () => {
    throw new Error('refused by the store');
  };
  for (const hook of [
    { beforeCommit: refuse },
    { beforeRow: (table: string) => (table === tables.audits ? refuse() : undefined) },
  ]) {
    store.hooks.add(hook);
    expect(() => port.materializeWindow!({ ...expecting(), slots: [slot(0), slot(1)] }, {})).toThrow('refused');
    store.hooks.delete(hook);
    expect([children(), audits(), stored()]).toEqual([[], [], before]);
  }
});
