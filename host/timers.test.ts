import { describe, expect, test } from 'vitest';
import { hostFor, openSubject, ownThread } from './fixtures/test-hosts.ts';

describe.each(ownThread)('a %s host is quiet', (kind) => {
  async function settingTimers(member: string, ...args: unknown[]) {
    const host = await hostFor(kind, 'timers');
    const subject = await openSubject(host, 'default');
    await subject.call(member, args);
    const quiet = await host.quiet();
    const late = await subject.call('late', []);
    return { host, subject, quiet, late: 'value' in late ? late.value : late };
  }

  test('once timers of every sort have fired', async () => {
    const { late } = await settingTimers('everySort', 150);
    expect(new Set(late as string[])).toEqual(new Set(['global', 'imported', 'promisified', 'promise', 'scheduler']));
  });

  test('once the timers that these have set have fired, too', async () => {
    const { late } = await settingTimers('chain', 4, 30);
    expect(late).toEqual(['link 4', 'link 3', 'link 2', 'link 1']);
  });

  test('once immediates and microtasks have drained', async () => {
    const { late } = await settingTimers('immediately');
    expect(late).toEqual(['immediate']);
  });

  test('once a short interval has ticked', async () => {
    const { late } = await settingTimers('ticks', 50);
    expect(late).toContain('tick');
  });

  test('once a timer that was put off has fired', async () => {
    const { late } = await settingTimers('refreshes', 100);
    expect(late).toEqual(['refreshed']);
  });

  test('at once, whatever waits for longer', async () => {
    const { quiet, late } = await settingTimers('everySort', 10_000);
    expect(late).toEqual([]);
    expect(quiet.timers).toBe(0);
  });

  test('after a while, although one timer sets the next for ever; and says how many fired', async () => {
    const { quiet } = await settingTimers('forEver', 20);
    expect(quiet.timers).toBeGreaterThan(1);
  });

  test('without the timers that were cleared', async () => {
    const { quiet, late } = await settingTimers('clears', 30);
    expect(late).toEqual([]);
    expect(quiet.timers).toBe(0);
  });

  test('not before timers were held, which fire once they are waited for', async () => {
    const host = await hostFor(kind, 'timers');
    const subject = await openSubject(host, 'default');
    await subject.call('everySort', [1], { holdTimers: true });
    const later = performance.now() + 50;
    while (performance.now() < later) await host.answers(60_000);
    expect((await host.quiet()).timers).toBe(5);
    expect(await subject.call('late', [])).toMatchObject({ value: { length: 5 } });
  });

  test('nor before the next call, which lets them fire, too', async () => {
    const host = await hostFor(kind, 'timers');
    const subject = await openSubject(host, 'default');
    await subject.call('everySort', [1], { holdTimers: true });
    await subject.call('everySort', [1]);
    await host.quiet();
    expect(await subject.call('late', [])).toMatchObject({ value: { length: 10 } });
  });

  test('and its timers behave as those of Node', async () => {
    const { host, subject } = await settingTimers('late');
    expect(await subject.call('noFunction', [])).toMatchObject({ threw: { code: 'ERR_INVALID_ARG_TYPE' } });
    expect(await subject.call('failsToWait', [])).toMatchObject({ threw: { name: 'AbortError' } });
    expect(await subject.call('looksLikeNode', [])).toEqual({ value: ['setTimeout', 'boolean', true] });
    expect(host.takeStrays()).toEqual([]);
  });
});

test('an inline host has the timers of the judge, and waits for none', async () => {
  const before = setTimeout;
  const host = await hostFor('inline', 'timers');
  const subject = await openSubject(host, 'default');
  await subject.call('everySort', [20]);
  expect((await host.quiet()).timers).toBe(0);
  expect(setTimeout).toBe(before);
});
