import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DAY, MINUTE, OTHER, type Outcome, recorded, SECOND, signalsOf } from './recorded.ts';

describe('a probe with an unclear result', () => {
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
    test(`does not make the server offline (outcome ${outcome})`, async t => {
      const { acquaint, failFor, server, uplink, recorder } = await recorded(t);
      await acquaint();
      failFor(3_600, outcome);
      assert.deepEqual([server().status, server().reason], ['online', reason]);
      assert.deepEqual([uplink.outage.isOpen, recorder.ignored], [false, 0]);
      assert.deepEqual(recorder.statusChanges, { online: 2, offline: 0 });
    });
  }

  for (const outcome of ['PROBE_OUTCOME_UNRESOLVABLE', 'PROBE_OUTCOME_PROBER_FAULT'] as const)
    test(`resets the time without replies after 11 minutes with only such probes (outcome ${outcome})`, async t => {
      const { acquaint, answer, failFor, report, server, clock } = await recorded(t);
      await acquaint();
      report('PROBE_OUTCOME_NO_REPLY');
      for (const end = clock.at + 11 * MINUTE; clock.at < end; clock.at += 15 * SECOND) {
        answer(OTHER);
        report(outcome);
      }
      const seconds = failFor(120, 'PROBE_OUTCOME_NO_REPLY');
      assert.equal(server().status, 'offline');
      assert.ok(seconds >= 50 && seconds <= 62, `${seconds} s`);
    });

  test('is repeated after the delay that a public server list demands, but after one day at most', async t => {
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

  test('does not reset the time without replies if the server sent no packet', async t => {
    const { acquaint, failFor, report, server, clock } = await recorded(t);
    await acquaint();
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    for (let i = 0; i < 20; i++, clock.at += SECOND) report('PROBE_OUTCOME_UNRESOLVABLE');
    assert.equal(server().status, 'online');
    const seconds = failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    assert.ok(seconds <= 3, `offline after ${seconds} s more, with the next looks`);
  });

  test('resets the time without replies if the server sent a packet', async t => {
    const { acquaint, failFor, report, server, clock } = await recorded(t);
    await acquaint();
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    report('PROBE_OUTCOME_PACED', ADDRESS, { signals: signalsOf(1, 0) });
    clock.at += SECOND;
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    assert.equal(server().status, 'online');
  });
});

describe('a probe report that contains no result for the server', () => {
  const nothing: [string, Outcome, number][] = [
    ['an error of the prober', 'PROBE_OUTCOME_PROBER_FAULT', 15 * SECOND],
    ['an unspecified outcome', 'PROBE_OUTCOME_UNSPECIFIED', 15 * SECOND],
    ['the outcome online but no payload', 'PROBE_OUTCOME_ONLINE', 15 * SECOND],
    ['a postponed probe', 'PROBE_OUTCOME_HELD_BACK', 700],
  ];
  for (const [what, outcome, waits] of nothing) {
    test(`changes only the time of the next probe (${what})`, async t => {
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

  test('does not reset the time without replies if a rate limit postponed the probes for a minute', async t => {
    const { acquaint, answer, failFor, report, server, clock } = await recorded(t);
    await acquaint();
    failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    for (let i = 0; i < 3; i++) {
      answer(OTHER);
      report('PROBE_OUTCOME_HELD_BACK', ADDRESS, { retryAfterMs: 20 * SECOND });
      clock.at += 20 * SECOND;
    }
    assert.equal(server().status, 'online');
    const seconds = failFor(40, 'PROBE_OUTCOME_NO_REPLY');
    assert.ok(seconds <= 3, `offline after ${seconds} s more`);
  });

  test('delays the next probe by at least 50 ms and at most one minute', async t => {
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
