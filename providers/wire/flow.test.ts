import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { client } from './fixtures/messages.ts';
import { type Decision, Flow, type Verdict } from './flow.ts';
import { Framer, type Message } from './framer.ts';
import { code, fromClient } from './messages.ts';

/** A flow between streams that stand for sockets: what it passes on waits in `taken` until `take` is called. */
function flow(decide: (message: Message) => Decision | undefined = () => undefined) {
  const from = new PassThrough();
  const taken: Buffer[] = [];
  let take = (): void => {};
  const to = new Writable({
    write(chunk: Buffer, _, done) {
      taken.push(chunk);
      take = done;
    },
  });
  const passed: string[] = [];
  new Flow({
    from: from as unknown as Socket,
    to: Object.assign(to, { destroySoon: () => to.end(), resetAndDestroy: () => to.destroy() }) as unknown as Socket,
    framer: new Framer(fromClient, false),
    decide,
    passing: (message, bytes) => passed.push(`${String.fromCharCode(message.type)} ${bytes.length}`),
    continuing: (bytes) => passed.push(`+ ${bytes.length}`),
  });
  return { from, to, taken, passed, take: () => take() };
}

it('stops reading while the other side takes no more, and goes on when it does', async () => {
  const { from, to, taken, take } = flow();
  const rows = client.copyData('x'.repeat(100_000));
  from.write(rows);
  from.end(rows);
  expect([from.isPaused(), taken]).toEqual([true, [rows]]);
  const resumed = once(from, 'resume');
  take();
  await resumed;
  await turn();
  expect(taken).toEqual([rows, rows]);
  take();
  await once(to, 'finish');
});

it('passes what comes in one piece on in one piece', () => {
  const { from, taken, passed } = flow();
  const [query, data] = [client.query('SELECT 1'), client.copyData('abc')];
  const all = Buffer.concat([query, data, client.sync]);
  from.write(all);
  expect(taken).toEqual([all]);
  expect(passed).toEqual([`Q ${query.length + data.length}`, 'S 5']);
  from.write(client.copyData('def'));
  expect(passed).toHaveLength(3);
});

it('holds a message and what follows it until the decision is carried out, and passes on what came before', async () => {
  const held = Promise.withResolvers<Verdict>();
  const { from, to, taken, take } = flow(({ type }) =>
    type === code('Q') ? { first: () => held.promise } : undefined,
  );
  const before = Buffer.concat([client.parse('a'), client.bind()]);
  const query = client.query('SELECT 1');
  from.write(Buffer.concat([before, query, client.sync]));
  from.end(client.terminate);
  take();
  await turn();
  expect(taken).toEqual([before]);
  held.resolve('pass');
  await turn();
  expect(taken.slice(1)).toEqual([Buffer.concat([query, client.sync])]);
  take();
  await turn();
  take();
  await once(to, 'finish');
  expect(taken.slice(2)).toEqual([client.terminate]);
});

it('passes on what a decision puts in the place of a message', async () => {
  const instead = client.query('SELECT 2');
  const { from, taken, take } = flow(({ type }) => (type === code('Q') ? { instead } : undefined));
  const after = Buffer.concat([client.copyData('abc'), client.sync]);
  from.write(Buffer.concat([client.flush, client.query('SELECT 111'), after]));
  for (let n = 0; n < 3; n++) {
    take();
    await turn();
  }
  expect(taken).toEqual([client.flush, instead, after]);
});

it('passes on what a side had sent before it was reset, and resets the other only then', async () => {
  const held = Promise.withResolvers<Verdict>();
  const { from, to, taken } = flow(({ type }) => (type === code('Q') ? { first: () => held.promise } : undefined));
  const commit = client.query('COMMIT');
  const closed = new Promise((resolve) => from.on('error', () => {}).on('close', resolve));
  from.write(commit);
  from.destroy(new Error('reset'));
  await closed;
  await turn();
  expect([to.destroyed, taken]).toEqual([false, []]);
  held.resolve('pass');
  await once(to, 'close');
  expect(taken).toEqual([commit]);
});
