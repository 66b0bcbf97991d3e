import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Work that tells when it begins, and ends when it is told to. */
function piece(log: string[], name: string) {
  const end = Promise.withResolvers<void>();
  const work = async () => {
    log.push(`${name} begins`);
    await end.promise;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end: end.resolve };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many run at once, and the others in their order', async () => {
  const turns = new Turns(2);
  const log: string[] = [];
  const pieces = ['a', 'b', 'c'].map((name) => piece(log, name));
  const all = Promise.all(pieces.map(({ work }) => turns.run(work)));
  await turn();
  expect(log).toEqual(['a begins', 'b begins']);
  pieces[1]!.end();
  await turn();
  expect(log).toEqual(['a begins', 'b begins', 'b ends', 'c begins']);
  for (const { end } of pieces) end();
  expect(await all).toEqual(['a', 'b', 'c']);
});

it('leaves what has to be alone to itself, and keeps its place', async () => {
  const turns = new Turns(2);
  const log: string[] = [];
  const [a, alone, b, c] = ['a', 'alone', 'b', 'c'].map((name) => piece(log, name));
  const all = [turns.run(a!.work), turns.run(alone!.work, { alone: true }), turns.run(b!.work), turns.run(c!.work)];
  await turn();
  expect(log).toEqual(['a begins']);
  a!.end();
  await turn();
  expect(log).toEqual(['a begins', 'a ends', 'alone begins']);
  alone!.end();
  await turn();
  expect(log.slice(3)).toEqual(['alone ends', 'b begins', 'c begins']);
  for (const { end } of [b!, c!]) end();
  await Promise.all(all);
});

it('goes on after work that failed', async () => {
  const turns = new Turns(1);
  const failing = turns.run(() => Promise.reject(new Error('broken')), { alone: true });
  const next = turns.run(async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});
