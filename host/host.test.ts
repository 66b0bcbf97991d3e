import { describe, expect, test } from 'vitest';
import { strictDeclaration } from '../contracts/kernel/capabilities.ts';
import { Recipe } from '../contracts/kernel/recipe.ts';
import { Opaque } from './codec.ts';
import { hostFor, kinds, openSubject, ownThread, sharedHost, site } from './fixtures/test-hosts.ts';
import { HostEnded, HostRefused } from './host.ts';

const facts = { provider: 'none', mode: 'm', version: '1', lacks: {} };
const agents = { [site.provider]: new URL('./fixtures/agent.ts', import.meta.url).href };

describe.each(kinds)('%s host', (kind) => {
  const echoHost = sharedHost(kind, 'echo');
  const echo = () => openSubject(echoHost(), 'plain');

  test('tells what the backend is', async () => {
    const host = echoHost();
    expect(host.kind).toBe(kind);
    expect(host.manifest).toMatchObject({
      name: 'echo',
      provider: 'none',
      variants: {
        plain: { 'send-batch': { statements: { rows: 'select 1' }, ownProbe: false, members: null } },
        probed: { 'send-batch': { statements: {}, ownProbe: true, members: null } },
      },
    });
  });

  test('declares for an engine', async () => {
    const host = echoHost();
    const strict = { ...strictDeclaration, givesUp: { atomic: 'it is an echo' } };
    expect(await host.declare('plain', 'send-batch', facts)).toEqual({ ...strict, offers: ['headers'] });
    expect(await host.declare('plain', 'send-batch', { ...facts, mode: 'other' })).toEqual(strict);
  });

  test('names the members that a port has, inherited ones too, and close is not one', async () => {
    const { members } = await echo();
    expect(members).toEqual(expect.arrayContaining(['sendBatch', 'send', 'echo']));
    expect(members).not.toContain('close');
    expect(members).not.toContain('constructor');
  });

  test('carries arguments and values that JSON cannot say', async () => {
    const session = await echo();
    const shared = { $: 'same', n: -0 };
    const args = [undefined, 2n ** 70n, new Uint8Array([0, 255]), new Date(1), [Number.NaN], '\ud800', shared, shared];
    expect(await session.call('echo', args)).toStrictEqual({ value: args });
    const { value } = (await session.call('echo', [shared, shared])) as { value: unknown[] };
    expect(value[0]).toBe(value[1]);
  });

  test('a session can be closed twice', async () => {
    const session = await echo();
    await session.close();
    await session.close();
    await expect(session.call('echo', [])).rejects.toThrow('is not open');
  });

  test('makes recipes beside the subject', async () => {
    const session = await echo();
    const settled = await session.call('describe', [new Recipe('cycle', 'tok'), new Recipe('throwing-getter', 'tok')]);
    expect(settled).toEqual({
      value: ["<ref *1> { token: 'tok', self: [Circular *1] }", "{ token: 'tok', broken: [Getter] }"],
    });
  });

  test('prints what a subject returns and cannot leave its host', async () => {
    const session = await echo();
    const { value } = (await session.call('unprintable', [])) as { value: unknown[] };
    expect(value).toHaveLength(3);
    for (const item of value) expect(item).toBeInstanceOf(Opaque);
  });

  test('brings outcomes into one form, from a list and from one', async () => {
    const session = await echo();
    const reported = [{ stored: 2n ** 64n }, { duplicate: 5 }, undefined, { failed: 'why' }];
    const normal = [
      { stored: '18446744073709551616' },
      { duplicate: '5' },
      { malformed: 'undefined' },
      { failed: { name: 'string', message: 'why' } },
    ];
    const messages = reported.map((body) => ({ body }));
    expect(await session.call('sendBatch', [messages, {}])).toEqual({ value: normal });
    expect(await session.call('send', [messages[0], {}])).toEqual({ value: normal[0] });
  });

  test('what a call throws is its end, not the host’s', async () => {
    const session = await echo();
    expect(await session.call('throwError', ['too far'])).toEqual({
      threw: {
        name: 'RangeError',
        message: 'too far',
        code: 'E1',
        position: 2,
        cause: { name: 'Error', message: 'inner' },
      },
    });
    expect(await session.call('throwIt', [undefined])).toEqual({ threw: { name: 'undefined', message: 'undefined' } });
    expect(await session.call('echo', [1])).toEqual({ value: [1] });
  });

  test('hands over a signal that is aborted already', async () => {
    const session = await echo();
    const settled = await session.call('untilAborted', [], { signal: AbortSignal.abort() });
    expect(settled).toEqual({ value: 'AbortError' });
    const inOptions = await session.call('send', [{ body: { stored: 1 } }], { signal: AbortSignal.abort() });
    expect(inOptions).toEqual({ value: { stored: '1' } });
  });

  test('aborts a running call', async () => {
    const session = await echo();
    const controller = new AbortController();
    const call = session.call('untilAborted', [], { signal: controller.signal });
    controller.abort();
    expect(await call).toEqual({ value: 'AbortError' });
  });

  test('freezes the arguments when asked to', async () => {
    const session = await echo();
    const args = [[{ body: 1 }, { body: 2 }]];
    expect(await session.call('canTouch', args)).toEqual({ value: 'not frozen' });
    expect(await session.call('canTouch', args, { freeze: true })).toEqual({ value: 'frozen' });
    const settled = await session.call('touch', args, { compare: true, freeze: true });
    expect(settled).toMatchObject({ threw: { name: 'TypeError' } });
    expect(settled).not.toHaveProperty('touched');
  });

  test('tells when a subject changed its arguments', async () => {
    const session = await echo();
    const args = [[{ body: 1 }, { body: 2, headers: { a: 1 } }]];
    const settled = await session.call('touch', args, { compare: true });
    expect(settled).toEqual({ value: undefined, touched: 'argument 1[1].headers.a was removed' });
    expect(await session.call('touch', args)).toEqual({ value: undefined });
  });

  test('scrambles the arguments once the promise is returned', async () => {
    const session = await echo();
    const value = { text: 'mine', bytes: new Uint8Array([1, 2]), list: [1, { n: 2 }] };
    const scrambled = {
      text: 'scrambled',
      bytes: new Uint8Array([0xaa, 0xaa]),
      list: [987654321, { n: 987654321 }],
    };
    expect(await session.call('keep', [value], { scramble: 'inFlight' })).toEqual({ value: scrambled });
    expect(await session.call('kept', [])).toEqual({ value: [scrambled] });
  });

  test('scrambles the arguments once the call has settled', async () => {
    const session = await echo();
    const value = { text: 'mine' };
    expect(await session.call('keep', [value], { scramble: 'settled' })).toEqual({ value });
    expect(await session.call('kept', [])).toEqual({ value: [{ text: 'scrambled' }] });
  });

  test('sessions are apart from each other', async () => {
    const host = echoHost();
    const [one, other] = [await openSubject(host, 'plain'), await openSubject(host, 'plain')];
    await one.call('keep', [1]);
    expect(await other.call('kept', [])).toEqual({ value: [] });
    await one.close();
    await expect(one.call('kept', [])).rejects.toThrow('is not open');
    expect(await other.call('kept', [])).toEqual({ value: [] });
  });

  test('reads by the backend’s own probe', async () => {
    const host = echoHost();
    const probe = await host.open({ as: 'probe', variant: 'probed', contract: 'send-batch', site });
    expect(await probe.rows()).toMatchObject({ rows: [{ id: 2n ** 63n, body: new Uint8Array([1]) }] });
    const gone = { ...site, mode: 'gone' };
    const other = await host.open({ as: 'probe', variant: 'probed', contract: 'send-batch', site: gone });
    expect(await other.rows()).toEqual({ missing: 'the table' });
    const closed = ((await probe.rows()) as { rows: { probesClosed: number }[] }).rows[0]!.probesClosed;
    await other.close();
    expect(await probe.rows()).toMatchObject({ rows: [{ probesClosed: closed + 1 }] });
    await expect(probe.call('rows', [])).rejects.toThrow('is no subject');
  });

  test('refuses what is of the wrong shape, and stays usable', async () => {
    const host = echoHost();
    const open = (as: 'subject' | 'probe', variant: string) => host.open({ as, variant, contract: 'send-batch', site });
    await expect(open('subject', 'broken')).rejects.toThrow('object with a function sendBatch, not { sendbatch:');
    await expect(open('subject', 'failing')).rejects.toThrow('no connection');
    await expect(open('subject', 'none')).rejects.toThrow("no variant 'none'; it has plain, probed, broken, failing");
    await expect(open('probe', 'plain')).rejects.toThrow('has no probe of its own');
    await expect(open('probe', 'failing')).rejects.toThrow('object with a function rows, not undefined');
    await expect((await open('probe', 'broken')).rows()).rejects.toThrow('rows() must return { rows: [...] }');
    await expect(host.declare('broken', 'send-batch', facts)).rejects.toThrow("clock must be 'database' or 'caller'");
    await expect(host.declare('plain', 'update-batch', facts)).rejects.toThrow("no contract 'update-batch'");
    const session = await openSubject(host, 'plain');
    await expect(session.call('nothing', [])).rejects.toThrow(/no member 'nothing'; it has .*sendBatch/);
    await expect(session.rows()).rejects.toThrow('is no probe');
    await expect(host.agent(site, 'x', [])).rejects.toThrow('without a provider agent');
    await expect(session.call('toString', [])).rejects.toBeInstanceOf(HostRefused);
    expect(await session.call('echo', [1])).toEqual({ value: [1] });
  });

  test('refuses a mutant that is not known', async () => {
    const host = echoHost();
    await expect(openSubject(host, 'plain', { mutants: ['no-such-lie'] })).rejects.toThrow("no mutant 'no-such-lie'");
  });

  test('loads the agent before the backend and passes calls to it', async () => {
    const host = await hostFor(kind, 'after-agent', {
      agents,
      backend: { url: new URL('./fixtures/after-agent.ts', import.meta.url).href, export: 'named' },
    });
    expect(await host.agent(site, 'look', [1n])).toEqual({
      site,
      method: 'look',
      args: [1n],
      order: ['agent', 'backend'],
    });
    await expect(host.agent(site, 'fail', [])).rejects.toThrow('the agent failed');
  });

  test('answers, until it is terminated', async () => {
    const host = await hostFor(kind, 'bad');
    const session = await openSubject(host, 'calls');
    expect(await host.answers(60_000)).toBe(true);
    const pending = session.call('neverSettles', []);
    await host.terminate();
    await expect(pending).rejects.toBeInstanceOf(HostEnded);
    expect(host.ended).toBe('terminated');
    expect(await host.answers(60_000)).toBe(false);
    await expect(session.call('ok', [])).rejects.toThrow('the host has ended: terminated');
    await host.terminate();
  });
});

describe.each(ownThread)('console of a %s host', (kind) => {
  test('is kept from the judge’s own and can be taken', async () => {
    const host = await hostFor(kind, 'echo');
    const session = await openSubject(host, 'plain');
    await session.call('say', ['hello']);
    expect(host.takeConsole()).toEqual({ bytes: 12, text: 'hello\nhello\n' });
    expect(host.takeConsole()).toEqual({ bytes: 0, text: '' });
  });

  test('holds warnings, too', async () => {
    const host = await hostFor(kind, 'bad');
    const session = await openSubject(host, 'calls');
    await session.call('warn', []);
    await session.call('ok', []);
    expect(host.takeConsole().text).toBe('Warning: a warning of the subject\n');
  });
});
