import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Peers } from '../../../core/cluster/peers.ts';
import { HistoryReader, type StoredHistory } from '../../../core/history/history-reader.ts';
import type { Figures } from '../../../core/history/history-store.ts';
import { NoHistory } from '../../../core/history/no-history.ts';
import { ClusterHistory, type OwnHistory } from '../../../core/merge/cluster-history.ts';
import { historyPart } from '../../../core/rpc/history-part.ts';
import { encodeRecord } from '../../../core/servers/record-codec.ts';
import { decodeStored } from '../../../core/servers/stored-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { DAY, everyMinute, HOUR, hoursOf, LONGEST_HOLD, onlineAt } from '../store/history/opened-history.ts';
import { MovingServers, START } from './moving-servers.ts';
import { servedCores } from './served-cores.ts';

const MINUTE = 60_000;
const QUARTER = HOUR / 4;
const KEY = 'csgo 203.0.113.1:27015';
const retention = { samplesMs: DAY, quartersMs: 30 * DAY };

const empty: OwnHistory = {
  hours: async () => [],
  quarters: async () => [],
  days: async () => [],
  incidentEvents: async () => [],
  oldest: () => Number.POSITIVE_INFINITY,
};

/** Serves the histories of several cores. Returns the merged history as each of the cores reads it. */
async function merged(t: TestContext, histories: readonly OwnHistory[]) {
  const served = await servedCores(
    t,
    histories.map(history => handlers => historyPart({ history }, handlers)),
  );
  const entries = histories.map(
    (own, i) => new ClusterHistory({ own, peers: served.peers[i] as Peers, timeoutMs: 30_000 }),
  );
  return { ...served, entries, entry: entries[0] as ClusterHistory };
}

function figuresAt(from: number, change: Partial<Figures> = {}): Figures {
  return {
    ...{ from, to: from + QUARTER, knownMs: 600_000, onlineMs: 600_000, countedMs: 600_000 },
    ...{ playerMs: 3_000_000, playersMax: 7 },
    ...change,
  };
}

function readerOf(store: StoredHistory, now: () => number): HistoryReader {
  return new HistoryReader({ store, retention, longestHoldMs: LONGEST_HOLD, now });
}

describe('the history of a cluster', () => {
  it('equals the history of one core that stored everything, after servers moved between the cores', async t => {
    const world = new MovingServers(t, 3, 5);
    await world.simulate(4 * DAY + 9 * HOUR);
    const { clock, servers, cores, whole } = world;
    const { entries, defects } = await merged(
      t,
      cores.map(({ store }) => store),
    );
    const now = clock.at;
    const below = randomNumbers(17);
    let moves = 0;
    for (const [i, { record, moves: movedAt }] of servers.entries()) {
      const entry = entries[i % entries.length] as ClusterHistory;
      const { key } = record;
      // The entry reads the record of the server from its owner, in the stored form.
      const read = decodeStored(key, encodeRecord(record));
      moves += movedAt.length;
      assert.deepEqual(await entry.hours(key, now - DAY, now), await whole.store.hours(key, now - DAY, now));
      for (let round = 0; round < 12; round++) {
        const before = round === 0 ? Number.POSITIVE_INFINITY : START + below(now - START);
        const limit = 1 + below(20);
        const wanted = await whole.store.incidents(key, before, limit);
        assert.deepEqual(await entry.incidents(key, before, limit), wanted);
      }
      const [one, all] = [readerOf(whole.store, clock.now), readerOf(entry, clock.now)];
      const recent = { from: now - 20 * HOUR, to: now, stepMs: 5 * MINUTE };
      assert.deepEqual(await all.steps(read, recent), await one.steps(record, recent));
      await compareQuarters(key, one, all, world, i);
    }
    assert.ok(moves > 30, `${moves} moves`);
    assert.deepEqual(defects, []);
  });

  it('adds the figures of several cores for the same span, and reduces a sum that is longer than the span', async t => {
    const parts = [figuresAt(START, { knownMs: 200_000, onlineMs: 100_000 }), figuresAt(START + QUARTER)];
    const { entry } = await merged(t, [
      { ...empty, quarters: async () => parts },
      { ...empty, quarters: async () => [figuresAt(START + QUARTER, { onlineMs: 300_000, playersMax: 9 })] },
      { ...empty, quarters: async () => [figuresAt(START + 2 * QUARTER)] },
    ]);
    const [first, second, third] = await entry.quarters(KEY, START, START + DAY);
    assert.deepEqual(first, parts[0]);
    const sums = { knownMs: 900_000, onlineMs: 675_000, countedMs: 900_000, playerMs: 4_500_000 };
    assert.deepEqual(second, figuresAt(START + QUARTER, { ...sums, playersMax: 9 }));
    assert.deepEqual(third, figuresAt(START + 2 * QUARTER));
  });

  it('uses the version of an hour whose last sample is newer if two cores have the hour', async t => {
    const samples = everyMinute(START, START + 30 * MINUTE, at => onlineAt(at, 5));
    const [short, long] = [samples.slice(0, 9), samples].map(each => hoursOf(KEY, each));
    const versions = [short, long, short].map(hours => ({ ...empty, hours: async () => hours ?? [] }));
    const { entries } = await merged(t, versions);
    for (const entry of entries) assert.deepEqual(await entry.hours(KEY, START, START + HOUR), long);
  });

  it('ends an incident of one core with the event of another core', async t => {
    const { entry } = await merged(t, [
      { ...empty, incidentEvents: async () => [{ at: START, reason: 'no_reply' }] },
      { ...empty, incidentEvents: async () => [{ at: START + HOUR, reason: undefined }] },
    ]);
    assert.deepEqual(await entry.incidents(KEY, Number.POSITIVE_INFINITY, 10), [
      { started: START, ended: START + HOUR, reason: 'no_reply' },
    ]);
  });

  it('is the rest if a core is dead, hangs, or cannot read its disk', async t => {
    const part = (i: number): OwnHistory => ({ ...empty, days: async () => [figuresAt(START + i * DAY)] });
    const unreadable = async (): Promise<Figures[]> => {
      throw new NoHistory('the history cannot be read now');
    };
    let hangs = false;
    const hanging: OwnHistory = {
      ...empty,
      days: () => (hangs ? new Promise(() => {}) : part(2).days(KEY, 0, 1)),
    };
    const { entry, entries, peers, kill } = await merged(t, [
      part(0),
      part(1),
      hanging,
      { ...empty, days: unreadable },
    ]);
    const days = async (of: ClusterHistory): Promise<number[]> =>
      (await of.days(KEY, START, START + 9 * DAY)).map(({ from }) => (from - START) / DAY);
    assert.deepEqual(await days(entry), [0, 1, 2]);
    assert.deepEqual(await days(entries[3] as ClusterHistory), [0, 1, 2]);
    kill(1);
    assert.deepEqual(await days(entry), [0, 2]);
    hangs = true;
    const hasty = new ClusterHistory({ own: part(0), peers: peers[0] as Peers, timeoutMs: 50 });
    assert.deepEqual(await days(hasty), [0]);
  });

  it('cannot be read if all cores fail', async t => {
    const hours = async (): Promise<never> => {
      throw new NoHistory('the history cannot be read now');
    };
    const { entry } = await merged(t, [
      { ...empty, hours },
      { ...empty, hours },
    ]);
    await assert.rejects(entry.hours(KEY, START, START + DAY), NoHistory);
  });

  it('knows the oldest data of all cores, and forgets a core that left', async t => {
    const oldest = (at: number): OwnHistory => ({ ...empty, oldest: () => at });
    const { entry, remove } = await merged(t, [oldest(500), oldest(300), oldest(Number.POSITIVE_INFINITY)]);
    assert.equal(entry.oldest('hours'), 0, 'a core that never answered can have data of any time');
    await entry.hours(KEY, 0, 1);
    assert.equal(entry.oldest('hours'), 0, 'a core without data can have data soon');
    remove(2);
    assert.equal(entry.oldest('hours'), 300);
    remove(1);
    assert.equal(entry.oldest('hours'), 500);
  });

  it('reads the trends of many servers with a few calls to each core', async t => {
    let calls = 0;
    const { peers } = await servedCores(t, [
      () => ({}),
      handlers => {
        const { ReadHistoryPart } = historyPart({ history: empty }, handlers);
        return {
          ReadHistoryPart: (call, done) => {
            calls++;
            ReadHistoryPart(call, done);
          },
        };
      },
    ]);
    const now = START + 5 * DAY;
    const reader = readerOf(new ClusterHistory({ own: empty, peers: peers[0] as Peers }), () => now);
    const range = { from: now - DAY, to: now, stepMs: 2 * QUARTER };
    const trends = Array.from({ length: 100 }, (_, i) =>
      reader.steps({ key: `csgo 203.0.113.${i}:1`, insertedAt: START, openHour: new Uint8Array(0) }, range),
    );
    assert.equal((await Promise.all(trends)).length, 100);
    assert.equal(calls, 2);
  });
});

/**
 * Compares the quarter hours of a server. In a quarter hour in which the server moved, the last sample before the move
 * can count for half a minute too long. All other stored figures differ only by their rounding.
 */
async function compareQuarters(
  key: string,
  one: HistoryReader,
  all: HistoryReader,
  { clock, servers }: MovingServers,
  server: number,
): Promise<void> {
  const { record, moves } = servers[server] as MovingServers['servers'][number];
  const range = { from: START, to: Math.floor(clock.at / QUARTER) * QUARTER, stepMs: QUARTER };
  const [wanted, found] = [await one.steps(record, range), await all.steps(record, range)];
  for (const [i, span] of wanted.entries()) {
    const from = range.from + i * QUARTER;
    const hasMoved = moves.some(at => at >= from - HOUR && at < from + QUARTER + HOUR);
    const allowedMs = hasMoved ? 100_000 : 1_500;
    const place = `${key}, ${new Date(from).toISOString()}`;
    for (const name of ['knownMs', 'onlineMs', 'countedMs'] as const) {
      const difference = Math.abs((found[i]?.[name] ?? 0) - (span?.[name] ?? 0));
      assert.ok(difference <= allowedMs, `${place}: ${name} differs by ${difference} ms`);
    }
    assert.equal(found[i]?.playersMax, span?.playersMax, place);
  }
}
