import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import type { KeptHistory } from '../../../core/history/kept-history.ts';
import { longestHoldMs } from '../../../core/history/longest-hold.ts';
import { type Clock, clockAt } from '../clock.ts';
import {
  DAY,
  everyMinute,
  HOUR,
  hoursOf,
  LONGEST_HOLD,
  offlineAt,
  onlineAt,
} from './history/opened-history.ts';

const KEY = 'csgo 203.0.113.1:27015';
/**
 * Key of a second server, on the host of the server KEY. Therefore both servers are in one bucket (group of servers).
 */
const OTHER = 'csgo 203.0.113.1:27016';
const MINUTE = 60_000;
const PHASE = hourPhaseOfKey(KEY);

/** The history of one test. It is empty when the test begins. */
export interface ContractHistory {
  history: KeptHistory;
  /** Closes the history, and opens it again. */
  reopen(): Promise<KeptHistory>;
}

/**
 * Opens an empty history, which is closed when the test ends. `clock`: used as wall clock and as monotonic clock.
 * `servers`: keys of the tracked servers.
 */
export type OpenContractHistory = (
  t: TestContext,
  clock: Clock,
  servers: readonly string[],
  options?: { longestHoldMs: number },
) => Promise<ContractHistory>;

/**
 * Defines the tests that every kind of history must pass. `BEGIN`: first day of the tests, Unix ms. If a storage engine
 * keeps the history, `BEGIN` must be today, because the engine deletes old data by its own clock.
 */
export function historyContract(name: string, BEGIN: number, open: OpenContractHistory): void {
  /**
   * Start of the test server's first block of samples, Unix ms. A block contains the samples of one hour. This hour
   * does not begin at a full hour, but PHASE ms later.
   */
  const FIRST_HOUR = BEGIN + PHASE;
  const opened = async (t: TestContext, clock: Clock, options?: { longestHoldMs: number }) =>
    (await open(t, clock, [KEY, OTHER], options)).history;

  test(`${name}: the history returns the samples of an hour before and after the write to disk, and after the history is opened again`, async t => {
    const { history, reopen } = await open(t, clockAt(BEGIN + 2 * HOUR), [KEY]);
    const [hour] = hoursOf(
      KEY,
      everyMinute(FIRST_HOUR, FIRST_HOUR + HOUR, at => onlineAt(at, 5)),
    );
    assert.ok(hour);
    history.store.sealHour(KEY, hour);
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [hour]);
    await history.flush();
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [hour]);
    const again = await reopen();
    const hours = (from: number, to: number) => again.store.hours(KEY, from, to);
    assert.deepEqual(await hours(FIRST_HOUR + HOUR - 1, FIRST_HOUR + HOUR), [hour]);
    assert.deepEqual(await hours(FIRST_HOUR - 1, FIRST_HOUR + 1), [hour]);
    assert.deepEqual(await hours(FIRST_HOUR + HOUR, FIRST_HOUR + DAY), []);
    assert.deepEqual(await hours(BEGIN, FIRST_HOUR), []);
    assert.deepEqual(await again.store.hours('csgo 203.0.113.2:27015', BEGIN, BEGIN + DAY), []);
  });

  test(`${name}: if the history receives two versions of the samples of an hour, it keeps the version with the newer last sample`, async t => {
    const history = await opened(t, clockAt(BEGIN + 2 * HOUR));
    const samples = everyMinute(FIRST_HOUR, FIRST_HOUR + HOUR, at => onlineAt(at, 5));
    const [long] = hoursOf(KEY, samples);
    const [short] = hoursOf(KEY, samples.slice(0, 30));
    assert.ok(long && short);
    history.store.sealHour(KEY, short);
    await history.flush();
    history.store.sealHour(KEY, long);
    await history.flush();
    history.store.sealHour(KEY, short);
    await history.flush();
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [long]);
  });

  test(`${name}: if the samples of an hour arrive in several separate parts, the history keeps the samples of all parts`, async t => {
    const history = await opened(t, clockAt(BEGIN + 2 * HOUR));
    const samples = everyMinute(FIRST_HOUR, FIRST_HOUR + HOUR, at => onlineAt(at, 5 + (at % 7)));
    const [whole] = hoursOf(KEY, samples);
    const parts = [samples.slice(0, 20), samples.slice(20, 45), samples.slice(45)];
    const [first, second, third] = parts.flatMap(part => hoursOf(KEY, part));
    assert.ok(whole && first && second && third);
    history.store.sealHour(KEY, third);
    history.store.sealHour(KEY, first);
    await history.flush();
    history.store.sealHour(KEY, second);
    await history.flush();
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [whole]);
  });

  test(`${name}: the history sums the samples of a day into quarter hours and a day, and deletes the samples after their retention`, async t => {
    const clock = clockAt(BEGIN);
    const history = await opened(t, clock);
    const samples = everyMinute(BEGIN, BEGIN + DAY, at =>
      at < BEGIN + 12 * HOUR ? onlineAt(at, at < BEGIN + 6 * HOUR ? 4 : 12) : offlineAt(at),
    );
    for (const hour of hoursOf(KEY, samples)) history.store.sealHour(KEY, hour);
    await history.flush();
    clock.at = BEGIN + DAY + 3 * HOUR;
    await history.maintain();
    const quarters = await history.store.quarters(KEY, BEGIN, BEGIN + DAY);
    assert.equal(quarters.length, 96);
    assert.deepEqual(quarters[0], {
      from: BEGIN,
      to: BEGIN + HOUR / 4,
      knownMs: HOUR / 4,
      onlineMs: HOUR / 4,
      countedMs: HOUR / 4,
      playerMs: 4 * (HOUR / 4),
      playersMax: 4,
    });
    assert.equal(quarters[95]?.onlineMs, 0);
    assert.equal(quarters[95]?.knownMs, HOUR / 4);
    const day = {
      from: BEGIN,
      to: BEGIN + DAY,
      knownMs: DAY,
      onlineMs: DAY / 2,
      countedMs: DAY / 2,
      playerMs: 8 * (DAY / 2),
      playersMax: 12,
    };
    assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + DAY), [day]);
    assert.equal((await history.store.hours(KEY, BEGIN, BEGIN + DAY)).length, 24);
    const ofSixth = () => history.store.hours(KEY, BEGIN + 6 * HOUR, BEGIN + 6 * HOUR + 1);
    // The last sample of this block of samples is older than BEGIN + 7 * HOUR, and is valid for at most LONGEST_HOLD.
    // After that, the history keeps the block for one more day, the retention time of samples.
    clock.at = BEGIN + DAY + 7 * HOUR + LONGEST_HOLD - 1;
    await history.maintain();
    assert.equal((await ofSixth()).length, 1);
    clock.at += 1;
    await history.maintain();
    assert.equal((await ofSixth()).length, 0);
    clock.at = BEGIN + 2 * DAY + 3 * HOUR;
    await history.maintain();
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), []);
    clock.at = BEGIN + 34 * DAY;
    await history.maintain();
    assert.deepEqual(await history.store.quarters(KEY, BEGIN, BEGIN + DAY), []);
    assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + DAY), [day]);
  });

  test(`${name}: the history also counts the last sample of a day in the next day if the sample is valid beyond midnight`, async t => {
    const clock = clockAt(BEGIN);
    const history = await opened(t, clock);
    const evening = { ...offlineAt(BEGIN - 80 * MINUTE), holdMs: 90 * MINUTE };
    for (const hour of hoursOf(KEY, [evening, onlineAt(BEGIN + 5 * HOUR, 1)]))
      history.store.sealHour(KEY, hour);
    await history.flush();
    clock.at = BEGIN + DAY + 3 * HOUR;
    await history.maintain();
    const [first] = await history.store.quarters(KEY, BEGIN, BEGIN + DAY);
    assert.deepEqual([first?.from, first?.knownMs, first?.onlineMs], [BEGIN, 10 * MINUTE, 0]);
  });

  test(`${name}: the history also summarises a day without samples if a sample of an earlier day is still valid on that day`, async t => {
    const clock = clockAt(BEGIN);
    const history = await opened(t, clock, { longestHoldMs: longestHoldMs(HOUR) });
    // In this test, each of the two samples is valid for 36 hours. Therefore the first sample is still valid on the
    // next day, although that day has no samples of its own.
    const samples = [BEGIN + 20 * HOUR, BEGIN + 4 * DAY].map(at => ({ ...offlineAt(at), holdMs: 36 * HOUR }));
    for (const hour of hoursOf(KEY, samples)) history.store.sealHour(KEY, hour);
    await history.flush();
    for (clock.at = BEGIN; clock.at < BEGIN + 5 * DAY; clock.at += HOUR) await history.maintain();
    const days = await history.store.days(KEY, BEGIN, BEGIN + 5 * DAY);
    assert.deepEqual(
      days.map(({ from, knownMs }) => [(from - BEGIN) / DAY, knownMs / HOUR]),
      [
        [0, 4],
        [1, 24],
        [2, 8],
      ],
    );
  });

  test(`${name}: the history pairs the stored starts and ends of incidents, and returns the newest incident first`, async t => {
    const history = await opened(t, clockAt(BEGIN + 40 * DAY));
    history.store.addOnline(KEY, BEGIN);
    history.store.addOffline(KEY, BEGIN + HOUR, 'no_reply');
    history.store.addOnline(KEY, BEGIN + 2 * HOUR);
    await history.flush();
    history.store.addOffline(KEY, BEGIN + 3 * HOUR, 'refused');
    history.store.addOffline(KEY, BEGIN + 4 * HOUR, 'no_reply');
    history.store.addOnline(KEY, BEGIN + 20 * DAY);
    history.store.addOffline(KEY, BEGIN + 30 * DAY, 'malformed');
    const all = [
      { started: BEGIN + 30 * DAY, ended: undefined, reason: 'malformed' },
      { started: BEGIN + 4 * HOUR, ended: BEGIN + 20 * DAY, reason: 'no_reply' },
      // The end of this incident was not stored: the next stored event is the start of another incident. So the history
      // returns an incident that ends when it starts.
      { started: BEGIN + 3 * HOUR, ended: BEGIN + 3 * HOUR, reason: 'refused' },
      { started: BEGIN + HOUR, ended: BEGIN + 2 * HOUR, reason: 'no_reply' },
    ];
    assert.deepEqual(await history.store.incidents(KEY, BEGIN + 50 * DAY, 10), all);
    await history.flush();
    assert.deepEqual(await history.store.incidents(KEY, BEGIN + 50 * DAY, 2), all.slice(0, 2));
    assert.deepEqual(await history.store.incidents(KEY, BEGIN + 30 * DAY, 10), all.slice(1));
  });

  test(`${name}: a removed server has no history from before its removal, even if the server is inserted again later`, async t => {
    const clock = clockAt(BEGIN + DAY);
    const history = await opened(t, clock);
    const samples = everyMinute(BEGIN, BEGIN + DAY, at => onlineAt(at, 7));
    for (const key of [KEY, OTHER])
      for (const hour of hoursOf(key, samples)) history.store.sealHour(key, hour);
    for (const key of [KEY, OTHER]) history.store.addOffline(key, BEGIN + HOUR, 'no_reply');
    await history.flush();
    clock.at = BEGIN + DAY + 3 * HOUR;
    await history.maintain();
    history.store.remove([KEY]);
    const read = async (key: string) => [
      (await history.store.hours(key, BEGIN, BEGIN + DAY)).length,
      (await history.store.quarters(key, BEGIN, BEGIN + DAY)).length,
      (await history.store.days(key, BEGIN, BEGIN + DAY)).length,
      (await history.store.incidents(key, Number.POSITIVE_INFINITY, 10)).length,
    ];
    assert.deepEqual(await read(KEY), [0, 0, 0, 0]);
    await history.flush();
    assert.deepEqual(await read(KEY), [0, 0, 0, 0]);
    const again = everyMinute(clock.at, clock.at + HOUR, at => onlineAt(at, 1));
    for (const hour of hoursOf(KEY, again)) history.store.sealHour(KEY, hour);
    clock.at = BEGIN + 2 * DAY + 3 * HOUR;
    await history.flush();
    await history.maintain();
    assert.deepEqual(await read(KEY), [0, 0, 0, 0]);
    const [second] = await history.store.days(KEY, BEGIN, BEGIN + 2 * DAY);
    assert.deepEqual([second?.from, second?.playersMax], [BEGIN + DAY, 1]);
    assert.equal((await history.store.days(OTHER, BEGIN, BEGIN + DAY)).length, 1);
  });

  test(`${name}: if samples arrive after their day was summarised, the history adds these samples to the summary`, async t => {
    const clock = clockAt(BEGIN + DAY);
    const history = await opened(t, clock);
    const samples = everyMinute(FIRST_HOUR, FIRST_HOUR + 3 * HOUR, at => onlineAt(at, 3));
    const [first, second, third] = hoursOf(KEY, samples);
    assert.ok(first && second && third);
    history.store.sealHour(KEY, first);
    await history.flush();
    clock.at = BEGIN + DAY + 3 * HOUR;
    await history.maintain();
    const known = async () => (await history.store.days(KEY, BEGIN, BEGIN + DAY))[0]?.knownMs ?? 0;
    const before = await known();
    history.store.sealHour(KEY, third);
    history.store.sealHour(KEY, second);
    await history.flush();
    await history.maintain();
    assert.equal(await known(), before + 2 * HOUR);
    assert.ok(history.counters.late > 0);
  });
}
