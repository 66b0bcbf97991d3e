import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hostFor, kinds, openSubject, ownThread } from './fixtures/test-hosts.ts';
import { type Host, HostEnded, HostRefused } from './host.ts';

/** Asks again until the host has heard of something that nobody awaits. */
async function strayOf(host: Host): Promise<unknown> {
  while (host.ended === undefined) {
    const [stray] = host.takeStrays();
    if (stray) return stray;
    await host.answers(1000);
  }
  return undefined;
}

describe.each(ownThread)('in a %s host', (kind) => {
  const bad = async () => {
    const host = await hostFor(kind, 'bad');
    return { host, session: await openSubject(host, 'calls') };
  };

  test('an endless loop is noticed and ended', async () => {
    const { host, session } = await bad();
    const call = session.call('loop', []);
    expect(await host.answers(200)).toBe(false);
    await host.terminate();
    await expect(call).rejects.toBeInstanceOf(HostEnded);
    expect(host.ended).toBe('terminated');
  });

  test('process.exit ends the host and is named', async () => {
    const { host, session } = await bad();
    const other = session.call('neverSettles', []);
    const calls = [other, session.call('exit', [3])];
    for (const call of calls) await expect(call).rejects.toThrow('the host has ended: process.exit(3)');
    expect(host.ended).toBe('process.exit(3)');
    await expect(session.call('ok', [])).rejects.toBeInstanceOf(HostEnded);
  });

  test('an error thrown in a timer is a stray, and the host stays usable', async () => {
    const { host, session } = await bad();
    await session.call('throwInTimer', []);
    expect(await strayOf(host)).toEqual({ name: 'Error', message: 'thrown in a timer' });
    expect(host.takeStrays()).toEqual([]);
    expect(await session.call('ok', [])).toEqual({ value: 'ok' });
  });

  test('a rejection that nobody handles is a stray, and the host stays usable', async () => {
    const { host, session } = await bad();
    await session.call('rejectUnheard', []);
    expect(await strayOf(host)).toEqual({ name: 'string', message: 'rejected unheard' });
    expect(await session.call('ok', [])).toEqual({ value: 'ok' });
  });

  test('a flood on the console is counted, and reaches the judge as a few events', async () => {
    const events: string[] = [];
    const host = await hostFor(kind, 'bad', {
      trace: ({ message }) => {
        if ('event' in message && message.event === 'console') events.push(message.text);
      },
    });
    const session = await openSubject(host, 'calls');
    const startedAt = performance.now();
    await session.call('flood', [200_000, 64]);
    const tenths = (performance.now() - startedAt) / 100;
    const { bytes, text } = host.takeConsole();
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`.length).reduce((a, b) => a + b);
    expect(bytes).toBe(lines + 64 * 2 ** 20);
    expect(text).toHaveLength(8 * 1024);
    expect(text.startsWith('line 0\nline 1\n')).toBe(true);
    // At most ten a second: the judge's memory does not depend on how much is written.
    expect(events.length).toBeLessThanOrEqual(tenths + 2);
    expect(events.join('')).toHaveLength(8 * 1024);
  });

  test('a flood that never ends is heard of while it lasts', async () => {
    const { host, session } = await bad();
    const call = session.call('floodForEver', []);
    while (host.ended === undefined && host.takeConsole().bytes === 0) await host.answers(10);
    expect(host.ended).toBeUndefined();
    await host.terminate();
    await expect(call).rejects.toBeInstanceOf(HostEnded);
  });

  // In a worker thread V8 sometimes ends the whole process before Node can end the thread.
  if (kind === 'process') {
    test('running out of memory ends the host and is named', async () => {
      const { host, session } = await bad();
      await expect(session.call('fillMemory', [])).rejects.toThrow('the host has ended: out of memory (limit 512 MB)');
      expect(host.ended).toContain('out of memory');
    });
  }

  test('an exit while loading ends the start', async () => {
    await expect(hostFor(kind, 'exits-while-loading')).rejects.toThrow('the host has ended: process.exit(7)');
  });

  test('a close that loops has a deadline', async () => {
    const host = await hostFor(kind, 'bad', { closeWithin: 100 });
    const session = await openSubject(host, 'closeLoops');
    await expect(session.close()).rejects.toThrow('the subject did not close within 100 ms');
    expect(await host.answers(100)).toBe(false);
  });

  test('changing the directory is the subject’s own matter', async () => {
    const { session } = await bad();
    const directory = process.cwd();
    await session.call('changeDirectory', []);
    expect(process.cwd()).toBe(directory);
    expect(await session.call('ok', [])).toEqual({ value: 'ok' });
  });
});

describe.each(kinds)('in a %s host', (kind) => {
  test('endless recursion is thrown by the call', async () => {
    const session = await openSubject(await hostFor(kind, 'bad'), 'calls');
    expect(await session.call('recurse', [])).toMatchObject({ threw: { name: 'RangeError' } });
    expect(await session.call('ok', [])).toEqual({ value: 'ok' });
  });

  test('a promise that never settles leaves the host answering', async () => {
    const host = await hostFor(kind, 'bad');
    const session = await openSubject(host, 'calls');
    const call = session.call('neverSettles', []);
    expect(await session.call('ok', [])).toEqual({ value: 'ok' });
    expect(await host.answers(60_000)).toBe(true);
    await host.terminate();
    await expect(call).rejects.toBeInstanceOf(HostEnded);
  });

  test('a close that never returns has a deadline', async () => {
    const host = await hostFor(kind, 'bad', { closeWithin: 50 });
    const session = await openSubject(host, 'closeNeverReturns');
    const refused = await session.close().catch((error) => error);
    expect(refused).toBeInstanceOf(HostRefused);
    expect(refused.failure).toMatchObject({ code: 'CLOSE_TIMEOUT' });
  });

  test('a close that throws says so', async () => {
    const session = await openSubject(await hostFor(kind, 'bad'), 'closeThrows');
    await expect(session.close()).rejects.toThrow('cannot close');
  });

  test.each([
    ['throws-while-loading', /throws-while-loading\.ts does not load: RangeError: no luck while loading/],
    ['exports-nothing', /exports-nothing\.ts has no export 'default'; it exports nothing/],
    ['exports-something-else', /backend 'half a backend', send-batch does not say how to read/],
    ['does-not-exist', /does-not-exist\.ts does not exist/],
  ])('%s is refused by name', async (fixture, message) => {
    const refused = await hostFor(kind, fixture).catch((error) => error);
    expect(refused).toBeInstanceOf(HostRefused);
    expect(refused.message).toMatch(message);
  });

  test('a wrong export is refused with the names of what there is', async () => {
    const backend = { url: new URL('./fixtures/exports-something-else.ts', import.meta.url).href, export: 'mine' };
    await expect(hostFor(kind, '', { backend })).rejects.toThrow(
      "no export 'mine'; it exports backend, default, helper",
    );
  });

  test('a file that does not parse is refused with the place', async () => {
    // Written here, since such a file would stop the compiler and the linter.
    const folder = await mkdtemp(join(tmpdir(), 'contract-test-host-'));
    try {
      const path = join(folder, 'broken.mjs');
      await writeFile(path, 'export default {\n  name: 1 2\n};\n');
      const backend = { url: pathToFileURL(path).href, export: 'default' };
      await expect(hostFor(kind, '', { backend })).rejects.toThrow(/does not load: SyntaxError: .*broken\.mjs:2\)/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a module that never finishes loading has a deadline', async () => {
    const refused = await hostFor(kind, 'never-loads', { loadWithin: 300 }).catch((error) => error);
    expect(refused).toBeInstanceOf(HostRefused);
    expect(refused.message).toMatch(/never-loads\.ts did not load within 300 ms/);
  });
});

describe('in an inline host', () => {
  test.each(['exit', 'exitImported', 'exitLater'])('%s does not end the judge', async (member) => {
    const before = process.exit;
    const host = await hostFor('inline', 'bad');
    const session = await openSubject(host, 'calls');
    const threw = { name: 'ProcessExit', message: expect.stringContaining('process.exit(0) would end the judge') };
    expect(await session.call(member, [0])).toMatchObject({ threw });
    await host.terminate();
    expect(process.exit).toBe(before);
  });

  test('the loop of events goes on between requests, so that an interrupt is heard', async () => {
    const host = await hostFor('inline', 'bad');
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    const session = await openSubject(host, 'calls');
    await session.call('ok', []);
    expect(turned).toBe(true);
  });
});
