import { expect, test } from 'vitest';
import { type Mutant, mutant } from '../contracts/kernel/mutant.ts';
import type { HostMessage, Reply, Request } from './protocol.ts';
import { createServer } from './server.ts';
import { spoilSite } from './spoil.ts';

type AnyPort = Record<string, (...args: unknown[]) => unknown>;

let laterRan: (() => void) | undefined;
const ran = new Promise<void>((resolve) => {
  laterRan = resolve;
});

const mutants = [
  mutant<AnyPort>({
    id: 'swaps',
    lie: 'Reverses the outcomes.',
    target: 'x',
    wrap: (port, { lied }) => ({
      ...port,
      sendBatch: (...args) => {
        lied();
        return (port.sendBatch!(...args) as unknown[]).toReversed();
      },
    }),
  }),
  mutant<AnyPort>({
    id: 'drops-last',
    lie: 'Leaves out the last outcome.',
    target: 'x',
    wrap: (port, tools) => ({
      ...port,
      sendBatch: (...args) => (port.sendBatch!(...args) as unknown[]).slice(0, -1),
      snapshot: () => tools.hand.snapshot(),
      site: () => tools.site,
      late: () => {
        tools.later(() => {
          laterRan?.();
          throw new Error('too late');
        }, 1);
      },
    }),
  }),
  mutant<AnyPort>({ id: 'no-port', lie: 'Is no port.', target: 'x', wrap: () => ({}) }),
] as Mutant[];

/** A server in this thread, with these mutants in the place of the real ones. */
async function serve(options: { agent: boolean }) {
  const replies = new Map<number, Reply>();
  const server = createServer(
    (message: HostMessage) => {
      if ('id' in message) replies.set(message.id, message);
    },
    async () => mutants,
  );
  let id = 0;
  const ask = async (request: Record<string, unknown>): Promise<Reply> => {
    id += 1;
    await server.handle({ id, ...request } as Request);
    return replies.get(id)!;
  };
  const url = (name: string) => new URL(`./fixtures/${name}.ts`, import.meta.url).href;
  await ask({
    do: 'load',
    backend: { url: url('echo'), export: 'default' },
    agents: options.agent ? { none: url('agent') } : {},
  });
  const open = (ids: string[], session = 1) =>
    ask({
      do: 'open',
      session,
      as: 'subject',
      variant: 'plain',
      contract: 'send-batch',
      site: { provider: 'none', mode: 'm' },
      mutants: ids,
    });
  const call = (member: string, args: unknown[] = []) => ask({ do: 'call', session: 1, member, args, prepare: {} });
  return { ask, open, call };
}

const messages = [{ body: { stored: 'a' } }, { body: { stored: 'b' } }, { body: { stored: 'c' } }];

test('mutants wrap the subject in their order, and lies are counted for each', async () => {
  const { ask, open, call } = await serve({ agent: false });
  await open(['drops-last', 'swaps']);
  expect(await ask({ do: 'lies', session: 1 })).toMatchObject({ value: { 'drops-last': 0, swaps: 0 } });
  expect(await call('sendBatch', [messages])).toMatchObject({ value: [{ stored: 'b' }, { stored: 'a' }] });
  expect(await ask({ do: 'lies', session: 1 })).toMatchObject({ value: { 'drops-last': 0, swaps: 1 } });

  await open(['swaps', 'drops-last'], 2);
  const other = { do: 'call', session: 2, member: 'sendBatch', args: [messages], prepare: {} };
  expect(await ask(other)).toMatchObject({ value: [{ stored: 'c' }, { stored: 'b' }] });
});

test('a spread port keeps what the subject inherits from its class', async () => {
  const { open, call } = await serve({ agent: false });
  await open(['swaps']);
  expect(await call('send', [messages[0]])).toMatchObject({ value: { stored: 'a' } });
  expect(await call('kept')).toMatchObject({ value: [] });
});

test('a mutant has the site and the hand of the engine', async () => {
  const { open, call } = await serve({ agent: true });
  await open(['drops-last']);
  expect(await call('snapshot')).toMatchObject({ value: 'snapshot of m' });
  expect(await call('site')).toMatchObject({ value: { provider: 'none', mode: 'm' } });
});

test('a site is spoiled by each mutant that can, and is the same for the others', () => {
  const site = { provider: 'none', mode: 'm' };
  const elsewhere = mutant({
    id: 'a',
    lie: 'x',
    target: 'x',
    wrap: (p) => p,
    site: (s) => ({ ...s, mode: `${s.mode}!` }),
  });
  expect(spoilSite(site, [elsewhere, mutants[0]!, elsewhere])).toEqual({ provider: 'none', mode: 'm!!' });
  expect(spoilSite(site, mutants)).toBe(site);
});

test('without an agent the hand is missed only when it is used', async () => {
  const { open, call } = await serve({ agent: false });
  expect(await open(['drops-last'])).toHaveProperty('value');
  expect(await call('snapshot')).toMatchObject({
    threw: { message: expect.stringContaining('without a provider agent') },
  });
});

test('later runs later, and may fail unheard', async () => {
  const { open, call } = await serve({ agent: false });
  await open(['drops-last']);
  expect(await call('late')).toHaveProperty('value');
  await ran;
});

test('an unknown mutant and one that makes no port are refused', async () => {
  const { open } = await serve({ agent: false });
  expect(await open(['swaps', 'nobody'])).toMatchObject({ refused: { message: "there is no mutant 'nobody'" } });
  expect(await open(['no-port'])).toMatchObject({ refused: { message: expect.stringContaining('sendBatch') } });
});

test('a session number is taken once, and an unknown request is refused', async () => {
  const { ask, open } = await serve({ agent: false });
  await open([]);
  expect(await open([])).toMatchObject({ refused: { message: 'session 1 is open already' } });
  expect(await ask({ do: 'dance' })).toMatchObject({ refused: { message: expect.stringContaining('dance') } });
});
