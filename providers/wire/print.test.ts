import { expect, it } from 'vitest';
import { printTraffic, printWatched, type Traffic, type WireStatement } from './index.ts';

const seen = (
  startedMs: number,
  connection: number,
  transaction: number,
  rest: Partial<WireStatement>,
): WireStatement => ({
  kind: 'other',
  text: '',
  connection,
  transaction,
  startedMs: 1000 + startedMs,
  endedMs: 1000.5 + startedMs,
  own: true,
  marked: true,
  ...rest,
});

const traffic: Traffic = {
  statements: [
    seen(0, 1, 7, { kind: 'begin', text: 'BEGIN' }),
    seen(2, 1, 7, { kind: 'write', text: 'INSERT INTO t VALUES ($1, $2)', rows: 1, parameters: ["'a'", 'NULL'] }),
    seen(12.25, 1, 7, { kind: 'rollback', text: 'COMMIT' }),
    seen(13, 1, 8, { kind: 'read', text: 'SELECT 1', failed: 'canceled', sqlstate: '57014', cancelled: true }),
    seen(1, 10, 1, { kind: 'read', text: 'COPY t TO STDOUT', returned: 2, copied: 8, own: false, marked: false }),
  ],
  commits: 1,
  interference: [],
  roundTrips: 5,
  transactions: 3,
  bytesUp: 200,
  bytesDown: 300,
  own: { roundTrips: 4, transactions: 2, bytesUp: 150, bytesDown: 250 },
  startedMs: 1000,
};

it('a recording is printed line by line, with the statements of a transaction bracketed', () => {
  expect(printTraffic(traffic)).toBe(
    [
      '5 statements, 5 round trips, 3 transactions, 200 bytes up, 300 down',
      "of these the call's own: 4 round trips, 2 transactions, 150 bytes up, 250 down",
      '#1  ┌  +0.00 begin    BEGIN -> 0.50 ms',
      '#10    +1.00 read     COPY t TO STDOUT -> 2 returned, 8 bytes copied, 0.50 ms, background',
      "#1  │  +2.00 write    INSERT INTO t VALUES ($1, $2) ['a', NULL] -> 1 row, 0.50 ms",
      '#1  └ +12.25 rollback COMMIT -> 0.50 ms',
      '#1    +13.00 read     SELECT 1 -> failed: 57014 canceled, 0.50 ms, cancel requested',
    ].join('\n'),
  );
});

it('what was done to a connection has a line of its own, where it happened', () => {
  const statements = [
    seen(0, 2, 1, { kind: 'begin', text: 'BEGIN' }),
    seen(2, 2, 1, { kind: 'write', text: 'INSERT INTO t VALUES (1)', rows: 1 }),
  ];
  const interference = [
    { atMs: 1012, text: 'killed the server (SIGKILL)' },
    { atMs: 1003, text: 'cut before "COMMIT" was sent', connection: 2 },
  ];
  expect(printWatched({ statements, interference, roundTrips: 2, samples: [], commits: 0 })).toEqual([
    '2 statements, 2 round trips',
    '#2  ┌  +0.00 begin    BEGIN -> 0.50 ms',
    '#2  └  +2.00 write    INSERT INTO t VALUES (1) -> 1 row, 0.50 ms',
    '#2  !  +3.00 cut before "COMMIT" was sent',
    'all ! +12.00 killed the server (SIGKILL)',
  ]);
});

it('a recording of nothing says so', () => {
  const nothing = { roundTrips: 0, transactions: 0, bytesUp: 0, bytesDown: 0 };
  expect(printTraffic({ ...nothing, statements: [], commits: 0, interference: [], own: nothing, startedMs: 0 })).toBe(
    '0 statements, 0 round trips, 0 transactions, 0 bytes up, 0 down',
  );
});

it('what a driver saw is printed with what it tells; transactions are known by what begins and ends them', () => {
  const at = (startedMs: number, connection: number, kind: WireStatement['kind'], failed?: string) => ({
    ...{ kind, connection, startedMs, endedMs: startedMs + 1, text: kind.toUpperCase() },
    ...(failed !== undefined && { failed }),
  });
  const statements = [
    at(50, 1, 'begin'),
    at(51, 2, 'read'),
    at(52, 1, 'commit', 'deferred'),
    at(53, 1, 'rollback'),
    at(54, 1, 'write'),
    at(55, 1, 'begin', 'locked'),
    at(56, 1, 'write'),
  ];
  expect(printWatched({ statements, samples: [], commits: 0 })).toEqual([
    '7 statements',
    '#1 ┌ +0.00 begin    BEGIN -> 1.00 ms',
    '#2   +1.00 read     READ -> 1.00 ms',
    '#1 │ +2.00 commit   COMMIT -> failed: deferred, 1.00 ms',
    '#1 └ +3.00 rollback ROLLBACK -> 1.00 ms',
    '#1   +4.00 write    WRITE -> 1.00 ms',
    '#1   +5.00 begin    BEGIN -> failed: locked, 1.00 ms',
    '#1   +6.00 write    WRITE -> 1.00 ms',
  ]);
  expect(printWatched({ statements: [], roundTrips: 1, samples: [], commits: 0 })).toEqual([
    '0 statements, 1 round trip',
  ]);
});
