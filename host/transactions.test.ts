import { describe, expect, test } from 'vitest';
import { kinds, openSubject, sharedHost } from './fixtures/test-hosts.ts';
import type { Host, Session } from './host.ts';

async function logOf(session: Session): Promise<unknown> {
  const settled = await session.call('log', []);
  return 'value' in settled ? settled.value : settled;
}

/** What was done to transactions of the host so far, which is then forgotten; their numbers within the host left out. */
async function done(host: Host): Promise<string[]> {
  const log = (await logOf(await openSubject(host, 'plain'))) as string[];
  return log.map((entry) => entry.replace(/^t\d+ /, ''));
}

describe.each(kinds)('%s host', (kind) => {
  const host = sharedHost(kind, 'transacting');

  test('a step tells what it returned, or what it threw', async () => {
    const session = await openSubject(host(), 'cannot-roll-back');
    await done(host());
    const transaction = await session.begin();
    expect(await transaction.run('a statement')).toEqual({ value: 2n ** 60n });
    expect(await transaction.rollback()).toEqual({ threw: { name: 'RangeError', message: 'cannot rollback' } });
    expect(await transaction.commit()).toEqual({ value: undefined });
    expect(await done(host())).toEqual(['run a statement', 'rollback', 'commit']);
  });

  test('a call gets the handle of the transaction that it is handed, and of one that has ended', async () => {
    const session = await openSubject(host(), 'plain');
    const [one, other] = [await session.begin(), await session.begin()];
    const handles = async (transaction?: typeof one) => {
      const settled = await session.call('sendBatch', [[{ body: 1 }], {}], transaction ? { transaction } : {});
      return 'value' in settled ? settled.value : settled;
    };
    const names = [await handles(one), await handles(other)] as { stored: string }[][];
    expect(names.flat().map(({ stored }) => stored)).toEqual([expect.stringMatching(/^t\d+$/), expect.any(String)]);
    expect(names[0]).not.toEqual(names[1]);
    expect(await handles()).toEqual([{ stored: 'alone' }]);
    await one.commit();
    expect(await handles(one)).toEqual(names[0]);
  });

  test('the handle of another subject’s transaction can be handed over, too', async () => {
    const [session, another] = [await openSubject(host(), 'plain'), await openSubject(host(), 'plain')];
    const transaction = await another.begin();
    const settled = await session.call('sendBatch', [[{ body: 1 }], {}], { transaction });
    expect(settled).toEqual({ value: [{ stored: expect.stringMatching(/^t\d+$/) }] });
  });

  test('a transaction that was never begun is refused', async () => {
    const session = await openSubject(host(), 'plain');
    const transaction = { ...(await session.begin()), id: 4711 };
    const call = session.call('sendBatch', [[], {}], { transaction });
    await expect(call).rejects.toThrow('transaction 4711 was never begun');
  });

  test.each([
    ['nothing', 'begin() must return { handle, run, commit, rollback }; it returned undefined'],
    ['without-commit', 'what it returned has no function commit'],
    ['without-handle', 'what it returned has no handle'],
    ['without-begin', 'the port has no member begin'],
    ['cannot-begin', 'no more connections'],
  ])('%s cannot begin', async (variant, words) => {
    const session = await openSubject(host(), variant);
    await expect(session.begin()).rejects.toThrow(words);
  });

  test('what is open when its subject closes is rolled back, and nothing else', async () => {
    const [session, another] = [await openSubject(host(), 'plain'), await openSubject(host(), 'plain')];
    await done(host());
    const committed = await session.begin();
    await committed.commit();
    const rolledBack = await session.begin();
    await rolledBack.rollback();
    await session.begin();
    const kept = await another.begin();
    expect(await done(host())).toEqual(['commit', 'rollback']);
    await session.close();
    expect(await done(host())).toEqual(['rollback']);
    await kept.run('still open');
    await another.close();
    expect(await done(host())).toEqual(['run still open', 'rollback']);
  });

  test('a transaction that refuses to be rolled back keeps no subject from closing', async () => {
    const session = await openSubject(host(), 'cannot-roll-back');
    await done(host());
    await session.begin();
    await session.begin();
    await session.close();
    expect(await done(host())).toEqual(['rollback', 'rollback']);
  });
});
