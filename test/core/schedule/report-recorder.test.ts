import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloadOf } from '../payload-of.ts';
import { ADDRESS, DAY, MINUTE, OTHER, type Outcome, recorded, SECOND, signalsOf } from './recorded.ts';

describe('an answered probe', () => {
  test('is recorded, published, and passed to onRecorded with the previous record', async t => {
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

  test('counts packets as lost only after the query port is known', async t => {
    const { answer, track } = await recorded(t);
    await track(ADDRESS);
    assert.equal(answer(ADDRESS, { signals: signalsOf(5, 4) })?.history.lossShare, 0);
    const share = answer(ADDRESS, { signals: signalsOf(4, 2) })?.history.lossShare ?? 0;
    assert.ok(Math.abs(share - 0.25) < 0.01, `${share}`);
  });

  test('never counts more packets as lost than were sent', async t => {
    const { answer, track } = await recorded(t);
    await track(ADDRESS);
    answer();
    const share = answer(ADDRESS, { signals: signalsOf(2, 900) })?.history.lossShare ?? 0;
    assert.ok(Math.abs(share - 0.5) < 0.01, `${share}`);
  });

  test('sets the timeout of later probes of its host', async t => {
    const { answer, track, terms } = await recorded(t);
    await track(ADDRESS);
    assert.deepEqual(terms(), { timeoutMs: 0, urgent: false });
    answer(ADDRESS, { payload: payloadOf({ ping: 200 }) });
    await track('9.9.9.9:1');
    assert.equal(terms('9.9.9.9:1').timeoutMs, 1_100);
  });

  test('makes the other servers of a silent host due, a tenth of a second apart', async t => {
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

describe('a probe without a valid reply', () => {
  const outcomes = [
    ['PROBE_OUTCOME_NO_REPLY', 'no_reply'],
    ['PROBE_OUTCOME_REFUSED', 'refused'],
    ['PROBE_OUTCOME_MALFORMED', 'malformed'],
    ['PROBE_OUTCOME_NOT_LISTED', 'not_listed'],
  ] as const satisfies [Outcome, string][];

  for (const [outcome, reason] of outcomes) {
    test(`with outcome ${outcome} puts a server in doubt first, and offline for this reason after 55 s`, async t => {
      const { acquaint, report, answer, failFor, server, recorder, clock } = await recorded(t);
      await acquaint();
      answer(OTHER);
      const doubted = report(outcome);
      assert.deepEqual([doubted?.status, doubted?.reason], ['online', reason]);
      clock.at += SECOND;
      const seconds = failFor(120, outcome);
      assert.deepEqual([server().status, server().reason], ['offline', reason]);
      assert.ok(seconds >= 50 && seconds <= 62, `${seconds} s`);
      assert.equal(recorder.statusChanges.offline, 1);
    });

    const heard = reason === 'malformed' || reason === 'not_listed';
    test(`with outcome ${outcome} ${heard ? 'needs no witness server' : 'gives no verdict without a witness server, which is probed'}`, async t => {
      const { acquaint, failFor, report, server, clock } = await recorded(t);
      await acquaint();
      clock.at += 10 * SECOND;
      const { nextProbeAt } = server(OTHER);
      report(outcome);
      assert.equal(server(OTHER).nextProbeAt, heard ? nextProbeAt : Math.min(nextProbeAt, clock.at));
      failFor(120, outcome, {}, false);
      assert.equal(server().status, heard ? 'offline' : 'online');
    });
  }

  test('counts as one lost packet, however many were sent together', async t => {
    for (const [knownPort, packetsLost] of [
      [true, 0],
      [true, 1],
      [true, 3],
      [false, 5],
    ] as const) {
      const { track, answer, report, clock } = await recorded(t);
      await track(ADDRESS);
      await track(OTHER);
      if (knownPort) answer();
      answer(OTHER);
      clock.at += 100;
      report('PROBE_OUTCOME_NO_REPLY', ADDRESS, { signals: signalsOf(5, packetsLost) });
      const { lossShare = 0, answers = 0 } = answer(ADDRESS, { signals: signalsOf(1, 0) })?.history ?? {};
      // The answer that ends the silence is one more packet.
      assert.ok(Math.abs(lossShare * answers - 1 / 2) < 0.02, `${packetsLost} lost: ${lossShare}`);
    }
  });

  test('with only challenges sets the label challenge_only, and still leads to offline', async t => {
    const { acquaint, failFor, server } = await recorded(t);
    await acquaint();
    failFor(120, 'PROBE_OUTCOME_NO_REPLY', { signals: signalsOf(2, 1, true) });
    assert.deepEqual([server().status, server().label], ['offline', 'challenge_only']);
  });

  test('makes the server urgent after half of the time for which its status is kept, until it is offline', async t => {
    const { acquaint, clock, report, terms, failFor, server } = await recorded(t);
    await acquaint();
    const { lastOnlineAt } = server();
    clock.at = lastOnlineAt + 300 * SECOND;
    assert.equal(terms().urgent, false);
    report('PROBE_OUTCOME_NO_REPLY');
    assert.equal(terms().urgent, false);
    clock.at += 1;
    assert.equal(terms().urgent, true);
    failFor(120, 'PROBE_OUTCOME_NO_REPLY');
    assert.deepEqual([server().status, terms().urgent], ['offline', false]);
  });

  test('is ignored while the uplink of the prober is out, and only the due time changes', async t => {
    const { acquaint, report, uplink, server, recorder, clock, heard } = await recorded(t);
    await acquaint();
    for (let i = 0; i < 5; i++) uplink.outage.firstLook(i, false, clock.at + 10 * SECOND);
    clock.at += 10 * SECOND;
    const told = heard.length;
    const { nextProbeAt: _, version: __, ...before } = server();
    report('PROBE_OUTCOME_NO_REPLY');
    const { nextProbeAt, version: ___, ...after } = server();
    assert.deepEqual([after, recorder.ignored, heard.length], [before, 1, told]);
    assert.ok(nextProbeAt - clock.at >= MINUTE / 2 && nextProbeAt - clock.at <= 1.5 * MINUTE);
  });

  test('keeps the interval of an offline server while the uplink of the prober is out', async t => {
    const { acquaint, failFor, report, uplink, server, clock } = await recorded(t);
    await acquaint();
    failFor(120, 'PROBE_OUTCOME_NO_REPLY');
    clock.at += 60 * MINUTE;
    report('PROBE_OUTCOME_NO_REPLY');
    const { intervalMs } = server();
    assert.ok(intervalMs > 10 * MINUTE);
    for (let i = 0; i < 5; i++) uplink.outage.firstLook(i, false, clock.at + 10 * SECOND);
    clock.at += 10 * SECOND;
    report('PROBE_OUTCOME_NO_REPLY');
    assert.ok(server().nextProbeAt - clock.at >= intervalMs / 2);
  });
});

describe('a probe that could not query the server', () => {
  const outcomes = [
    ['PROBE_OUTCOME_UNRESOLVABLE', 'unresolvable_host'],
    ['PROBE_OUTCOME_BLOCKED', 'blocked_address'],
    ['PROBE_OUTCOME_NEEDS_CREDENTIALS', 'needs_credentials'],
    ['PROBE_OUTCOME_NEEDS_OPTION', 'needs_option'],
    ['PROBE_OUTCOME_DIRECTORY_UNAVAILABLE', 'directory_unavailable'],
    ['PROBE_OUTCOME_DIRECTORY_REFUSED', 'directory_refused'],
    ['PROBE_OUTCOME_PACED', 'paced'],
  ] as const satisfies [Outcome, string][];

  for (const [outcome, reason] of outcomes) {
    test(`with outcome ${outcome} never leads to an offline verdict and does not count towards an outage`, async t => {
      const { acquaint, failFor, server, uplink, recorder } = await recorded(t);
      await acquaint();
      failFor(3_600, outcome);
      assert.deepEqual([server().status, server().reason], ['online', reason]);
      assert.deepEqual([uplink.outage.isOpen, recorder.ignored], [false, 0]);
      assert.deepEqual(recorder.statusChanges, { online: 2, offline: 0 });
    });
  }

  test('is repeated after the delay that the directory requests, at most a day', async t => {
    const { track, report, server, clock } = await recorded(t);
    await track(ADDRESS);
    for (const [retryAfterMs, waits] of [
      [7_200_000, 7_200_000],
      [0xffffffff, DAY],
    ] as const) {
      report('PROBE_OUTCOME_DIRECTORY_UNAVAILABLE', ADDRESS, { retryAfterMs });
      assert.equal(server().nextProbeAt - clock.at, waits);
    }
  });

  test('neither ends nor extends a period of silence', async t => {
    const { acquaint, failFor, report, server, clock } = await recorded(t);
    await acquaint();
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    for (let i = 0; i < 20; i++, clock.at += SECOND) report('PROBE_OUTCOME_UNRESOLVABLE');
    assert.equal(server().status, 'online');
    const seconds = failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    assert.ok(seconds <= 3, `offline after ${seconds} s more, with the next looks`);
  });
});

test('ends the silence of a server that replied that it needs credentials', async t => {
  const { acquaint, failFor, report, server, clock } = await recorded(t);
  await acquaint();
  failFor(40, 'PROBE_OUTCOME_NO_REPLY');
  report('PROBE_OUTCOME_PACED', ADDRESS, { signals: signalsOf(1, 0) });
  clock.at += SECOND;
  failFor(40, 'PROBE_OUTCOME_NO_REPLY');
  assert.equal(server().status, 'online');
});

describe('a report without information about the server', () => {
  const nothing: [string, Outcome, number][] = [
    ['a fault of the prober', 'PROBE_OUTCOME_PROBER_FAULT', 15 * SECOND],
    ['no outcome', 'PROBE_OUTCOME_UNSPECIFIED', 15 * SECOND],
    ['an answer without a payload', 'PROBE_OUTCOME_ONLINE', 15 * SECOND],
    ['a server that was held back', 'PROBE_OUTCOME_HELD_BACK', 700],
  ];
  for (const [what, outcome, waits] of nothing) {
    test(`with ${what} only changes the due time`, async t => {
      const { acquaint, report, server, clock, heard } = await recorded(t);
      await acquaint();
      const told = heard.length;
      const { nextProbeAt: _, version, ...before } = server();
      report(outcome, ADDRESS, { retryAfterMs: 700 });
      const { nextProbeAt, version: next, ...after } = server();
      assert.deepEqual([after, next - version, heard.length], [before, 1, told]);
      assert.equal(nextProbeAt - clock.at, waits);
    });
  }

  test('delays the next probe by at least 50 ms and at most a minute', async t => {
    const { track, report, server, clock } = await recorded(t);
    await track(ADDRESS);
    for (const [retryAfterMs, waits] of [
      [0, 50],
      [0xffffffff, MINUTE],
    ] as const) {
      report('PROBE_OUTCOME_HELD_BACK', ADDRESS, { retryAfterMs });
      assert.equal(server().nextProbeAt - clock.at, waits);
    }
  });
});
