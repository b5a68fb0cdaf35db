import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { payloadOf } from '../payload-of.ts';
import { ADDRESS, DAY, MINUTE, OTHER, type Outcome, recorded, SECOND, signalsOf } from './recorded.ts';

describe('an answered probe', () => {
  test('is recorded, published, and passed to onRecorded together with the previous record', async t => {
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

  test('counts lost packets only after the query port of the server is known', async t => {
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

  test('sets the timeout of later probes of servers at the same host', async t => {
    const { answer, track, terms } = await recorded(t);
    await track(ADDRESS);
    assert.deepEqual(terms(), { timeoutMs: 0, urgent: false });
    answer(ADDRESS, { payload: payloadOf({ ping: 200 }) });
    await track('9.9.9.9:1');
    assert.equal(terms('9.9.9.9:1').timeoutMs, 1_100);
  });

  test('of a host that did not answer before makes the other servers at this host due, 100 ms apart', async t => {
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
    test(`with outcome ${outcome} stores its reason, and makes the server offline after about 55 s without a reply`, async t => {
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
    test(`with outcome ${outcome} ${heard ? 'can make the server offline even if no other server answers' : 'needs an answer of another server before the server becomes offline'}`, async t => {
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

  test('counts as one lost packet, however many packets the probe sent', async t => {
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
      // The answer that ends the period without replies is one more packet.
      assert.ok(Math.abs(lossShare * answers - 1 / 2) < 0.02, `${packetsLost} lost: ${lossShare}`);
    }
  });

  test('that gets only challenges leads to the label challenge_only, and still makes the server offline in the end', async t => {
    const { acquaint, failFor, server } = await recorded(t);
    await acquaint();
    failFor(120, 'PROBE_OUTCOME_NO_REPLY', { signals: signalsOf(2, 1, true) });
    assert.deepEqual([server().status, server().label], ['offline', 'challenge_only']);
  });

  test('makes later probes urgent after half of the time for which the server keeps its status, until the server is offline', async t => {
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

  test('is ignored while the uplink of the prober is out, and changes only the due time of the server', async t => {
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

  test('does not change the interval of an offline server while the uplink of the prober is out', async t => {
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
    test(`with outcome ${outcome} never makes the server offline, and is no sign of an outage`, async t => {
      const { acquaint, failFor, server, uplink, recorder } = await recorded(t);
      await acquaint();
      failFor(3_600, outcome);
      assert.deepEqual([server().status, server().reason], ['online', reason]);
      assert.deepEqual([uplink.outage.isOpen, recorder.ignored], [false, 0]);
      assert.deepEqual(recorder.statusChanges, { online: 2, offline: 0 });
    });
  }

  test('is repeated after the delay that the server directory requests, but after one day at most', async t => {
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

  test('neither ends nor extends the period in which the server does not answer', async t => {
    const { acquaint, failFor, report, server, clock } = await recorded(t);
    await acquaint();
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    for (let i = 0; i < 20; i++, clock.at += SECOND) report('PROBE_OUTCOME_UNRESOLVABLE');
    assert.equal(server().status, 'online');
    const seconds = failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    assert.ok(seconds <= 3, `offline after ${seconds} s more, with the next looks`);
  });
});

test('if a server answers a probe with a rate limit instead of its status, the period without answers ends', async t => {
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
    ['an error of the prober', 'PROBE_OUTCOME_PROBER_FAULT', 15 * SECOND],
    ['an unspecified outcome', 'PROBE_OUTCOME_UNSPECIFIED', 15 * SECOND],
    ['the outcome online but no payload', 'PROBE_OUTCOME_ONLINE', 15 * SECOND],
    ['a postponed probe', 'PROBE_OUTCOME_HELD_BACK', 700],
  ];
  for (const [what, outcome, waits] of nothing) {
    test(`with ${what} changes only the due time of the server`, async t => {
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

  test('delays the next probe by 50 ms at least and by one minute at most', async t => {
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
