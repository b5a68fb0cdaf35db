import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloadOf } from '../payload-of.ts';
import { ADDRESS, OTHER, recorded, SECOND, signalsOf } from './recorded.ts';

describe('an answered probe of a game server', () => {
  test('updates and publishes the server record, and passes the old and the new record to onRecorded', async t => {
    const { answer, changes, track, heard, store, recorder } = await recorded(t);
    await track(ADDRESS);
    const published: string[] = [];
    changes.follow([`csgo ${ADDRESS}`], server => published.push(server.status));
    const server = answer();
    assert.deepEqual([server?.status, server?.queryPort, published], ['online', 27016, ['online']]);
    const [[report, before, after] = []] = heard;
    assert.deepEqual([report?.outcome, before?.status, after], ['PROBE_OUTCOME_ONLINE', 'pending', server]);
    assert.deepEqual([store.stats().online, recorder.statusChanges], [1, { online: 1, offline: 0 }]);
  });

  test('does not change the packet loss while the query port is unknown, because such probes also try wrong ports', async t => {
    const { answer, track } = await recorded(t);
    await track(ADDRESS);
    assert.equal(answer(ADDRESS, { signals: signalsOf(5, 4) })?.history.lossShare, 0);
    const share = answer(ADDRESS, { signals: signalsOf(4, 2) })?.history.lossShare ?? 0;
    assert.ok(Math.abs(share - 0.25) < 0.01, `${share}`);
  });

  test('counts no more packets as lost than the probe has sent', async t => {
    const { answer, track } = await recorded(t);
    await track(ADDRESS);
    answer();
    const share = answer(ADDRESS, { signals: signalsOf(2, 900) })?.history.lossShare ?? 0;
    assert.ok(Math.abs(share - 0.5) < 0.01, `${share}`);
  });

  test('sets the reply timeout of all servers at the same host, based on the measured round-trip time', async t => {
    const { answer, track, terms } = await recorded(t);
    await track(ADDRESS);
    assert.deepEqual(terms(), { timeoutMs: 0, urgent: false });
    answer(ADDRESS, { payload: payloadOf({ ping: 200 }) });
    await track('9.9.9.9:1');
    assert.equal(terms('9.9.9.9:1').timeoutMs, 1_100);
  });

  test('schedules immediate probes of the silent servers at the same host, one every 100 ms', async t => {
    const { answer, report, track, clock, store } = await recorded(t);
    const siblings = [1, 2, 3, 4].map(port => `9.9.9.9:${port}`);
    for (const address of [OTHER, ...siblings]) await track(address);
    for (const address of [OTHER, ...siblings]) answer(address);
    for (let look = 0; look < 60; look++, clock.at += 4 * SECOND) {
      answer(OTHER);
      for (const address of siblings) report('PROBE_OUTCOME_NO_REPLY', address);
    }
    assert.equal(store.stats().offline, 4);
    clock.at -= 4 * SECOND;
    const [first = '', ...others] = siblings;
    answer(first);
    const due = others.map(address => store.getMany([`csgo ${address}`])[0]?.nextProbeAt ?? 0);
    assert.deepEqual(
      [...due].sort(),
      [0, 100, 200].map(ms => clock.at + ms),
    );
  });
});
