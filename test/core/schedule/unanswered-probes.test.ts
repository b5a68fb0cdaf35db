import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, MINUTE, OTHER, type Outcome, recorded, SECOND, signalsOf } from './recorded.ts';

describe('a probe without a valid reply', () => {
  const outcomes = [
    ['PROBE_OUTCOME_NO_REPLY', 'no_reply'],
    ['PROBE_OUTCOME_REFUSED', 'refused'],
    ['PROBE_OUTCOME_MALFORMED', 'malformed'],
    ['PROBE_OUTCOME_NOT_LISTED', 'not_listed'],
  ] as const satisfies [Outcome, string][];

  for (const [outcome, reason] of outcomes) {
    test(`makes the server offline only after about 55 s of such probes (reason ${reason})`, async t => {
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
    test(`${heard ? 'can' : 'cannot'} make the server offline while no other server answers (outcome ${outcome})`, async t => {
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
      // The unanswered probe counts as one lost packet. The next probe sends one packet, which is answered. So one of
      // two packets is lost.
      assert.ok(Math.abs(lossShare * answers - 1 / 2) < 0.02, `${packetsLost} lost: ${lossShare}`);
    }
  });

  test('makes the server offline with the label `challenge_only` if the server replied only with challenges', async t => {
    const { acquaint, failFor, server } = await recorded(t);
    await acquaint();
    failFor(120, 'PROBE_OUTCOME_NO_REPLY', { signals: signalsOf(2, 1, true) });
    assert.deepEqual([server().status, server().label], ['offline', 'challenge_only']);
  });

  test('makes the next probes urgent if the last answer is over 300 s old', async t => {
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

  test('changes only the time of the next probe while the network connection of the prober is down', async t => {
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

  test('does not change the probe interval of an offline server while the network connection of the prober is down', async t => {
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
