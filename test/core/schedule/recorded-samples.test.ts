import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeHour, hourOf } from '../../../core/history/hour-coding.ts';
import { payloadFields, payloadOf, reported } from '../payload-of.ts';
import { hourBegin, KEY, PHASE, samplesOf } from './current-hour.ts';
import { ADDRESS, DAY, MINUTE, recorded, SECOND } from './recorded.ts';

const HOUR = 60 * MINUTE;

describe('after an answered probe, the core', () => {
  test('adds a sample with the player counts of the reply to the samples of the current hour', async t => {
    const { track, answer, server, clock } = await recorded(t);
    clock.at = hourBegin(clock.at);
    await track(ADDRESS);
    answer(ADDRESS, { payload: payloadOf({ players: 3, maxplayers: 24, numbots: 2 }) });
    clock.at += MINUTE;
    answer(ADDRESS, { payload: payloadOf({ players: 0, maxplayers: 24, numbots: 0 }) });
    const found = { state: 'online', maxPlayers: 24, holdMs: 1.5 * MINUTE };
    assert.deepEqual(samplesOf(server()), [
      { ...found, at: clock.at - MINUTE, players: 3, bots: 2 },
      { ...found, at: clock.at, players: 0, bots: 0 },
    ]);
  });

  test('adds a sample without player counts if the server reports no counts', async t => {
    const { track, answer, server } = await recorded(t);
    await track(ADDRESS);
    const { players: _, maxplayers: __, ...uncounted } = payloadFields();
    answer(ADDRESS, { payload: reported(uncounted) });
    const [sample] = samplesOf(server());
    assert.deepEqual([sample?.state, sample?.players, sample?.maxPlayers], ['online', undefined, undefined]);
  });

  test('passes the samples of an hour to the history when the next hour has begun', async t => {
    const { track, answer, server, clock, sealed } = await recorded(t);
    clock.at = hourBegin(clock.at);
    const begin = clock.at;
    await track(ADDRESS);
    for (let minute = 0; minute < 150; minute++, clock.at += MINUTE) {
      answer(ADDRESS, { payload: payloadOf({ players: minute % 20 }) });
    }
    assert.deepEqual(
      sealed.map(({ key, hour }) => [key, hour + PHASE - begin]),
      [
        [KEY, 0],
        [KEY, HOUR],
      ],
    );
    const samples = [...sealed.flatMap(decodeHour), ...samplesOf(server())];
    assert.deepEqual(
      samples.map(({ at, players }) => [(at - begin) / MINUTE, players]),
      Array.from({ length: 150 }, (_, i) => [i, i % 20]),
    );
  });

  test('passes an hour of samples to the history only once, even if the next answer comes 30 days later', async t => {
    const { track, answer, clock, sealed } = await recorded(t);
    await track(ADDRESS);
    const begin = hourOf(clock.at, PHASE);
    answer();
    clock.at += 30 * DAY;
    answer();
    answer();
    assert.deepEqual(
      sealed.map(({ hour }) => hour),
      [begin],
    );
  });
});

describe('the samples of the current hour', () => {
  test('do not change if the clock was set back by less than an hour', async t => {
    const { track, answer, server, clock, sealed } = await recorded(t);
    clock.at = hourBegin(clock.at) + 3 * HOUR + SECOND;
    await track(ADDRESS);
    answer();
    const { openHour } = server();
    for (const [i, back] of [SECOND / 2, 2 * SECOND, 30 * MINUTE].entries()) {
      clock.at -= back;
      // Each reply contains a longer server name than the reply before it. In the server record, the reply is stored in
      // front of the samples of the current hour. A longer reply therefore moves the samples, but must not change them.
      answer(ADDRESS, { payload: payloadOf({ name: 'n'.repeat(17 + i) }) });
      assert.deepEqual(server().openHour, openHour);
      clock.at += back;
    }
    clock.at += MINUTE;
    answer();
    assert.deepEqual([samplesOf(server()).length, sealed.length], [2, 0]);
  });

  test('are replaced if the clock was set back by more than an hour', async t => {
    const { track, answer, server, clock, sealed } = await recorded(t);
    clock.at = hourBegin(clock.at) + 10 * DAY;
    await track(ADDRESS);
    answer();
    clock.at -= 10 * DAY;
    answer();
    assert.deepEqual(
      samplesOf(server()).map(({ at }) => at),
      [clock.at],
    );
    assert.equal(sealed.length, 0);
  });
});
