import { expect, test } from 'vitest';
import { strictDeclaration } from '../../kernel/capabilities.ts';
import type { Site } from '../../kernel/engine.ts';
import { sendBatching } from '../../send-batch/mutants/batches.ts';
import { bodiesOf, messages, TestSubject } from '../../send-batch/mutants/fixtures/sqlite-subject.ts';
import { durabilityMutants } from './durability.ts';

const [kept, asynchronous, afresh] = durabilityMutants(sendBatching);

test('kept-in-memory-till-close drops at the close what it has stored', async () => {
  const subject = new TestSubject(kept!.id);
  await subject.sendBatch(messages(2));
  expect(subject.bodies()).toEqual(bodiesOf(0, 1));
  await subject.close();
  expect(subject.bodies()).toEqual([]);
  expect(subject.lies).toBe(1);
});

test('kept-in-memory-till-close that stored nothing drops nothing', async () => {
  const subject = new TestSubject(kept!.id);
  await subject.sendBatch([{ body: undefined }]);
  await subject.close();
  expect(subject.lies).toBe(0);
});

test('starts-afresh deletes what is stored when it opens, and lies only where there is something', async () => {
  const rows = { messages: 2 };
  const restored: unknown[] = [];
  let lies = 0;
  const open = (tables: Record<string, number>) =>
    afresh!.wrap({ sendBatch: () => [] }, {
      hand: { snapshot: () => ({ tables }), restore: (to: unknown) => void restored.push(to), edit() {} },
      lied: () => void lies++,
    } as unknown as Parameters<NonNullable<typeof afresh>['wrap']>[1]);
  open({ messages: 0 });
  open({});
  expect([restored, lies]).toEqual([[], 0]);
  open(rows);
  expect([restored, lies]).toEqual([[{ tables: {}, content: {} }], 1]);
});

test.each([
  ['postgresql://u:p@h:1/d', '-c synchronous_commit=off'],
  ['postgresql://u:p@h:1/d?options=-c%20search_path%3Dx', '-c search_path=x -c synchronous_commit=off'],
])('asynchronous-commit adds its setting to %s', (url, options) => {
  const site = asynchronous!.site!({ provider: 'postgres', mode: 'direct', url } as Site) as Site & { url: string };
  expect(new URL(site.url).searchParams.get('options')).toBe(options);
  expect(site.url).not.toContain('+');
});

test('what cannot be told on an engine says why', () => {
  const facts = { mode: 'm', version: '1', lacks: {} };
  const sqlite = { ...facts, provider: 'sqlite', lacks: { wire: 'no wire' } };
  const postgres = { ...facts, provider: 'postgres' };
  const why = (m: typeof kept) => [sqlite, postgres].map((f) => m!.cannot?.(strictDeclaration, f));
  expect(why(kept)).toEqual([undefined, undefined]);
  expect(why(asynchronous)).toEqual([expect.stringContaining('sqlite'), undefined]);
  expect(why(afresh)).toEqual([undefined, expect.stringContaining('server')]);
  const site = { provider: 'sqlite', mode: 'file' };
  expect(asynchronous!.site!(site)).toBe(site);
});
