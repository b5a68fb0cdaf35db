import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hourBegin, KEY, samplesOf } from './current-hour.ts';
import { MINUTE, recorded, SECOND } from './recorded.ts';

describe('after a failed probe, the core', () => {
  test('adds an offline sample only if the server has become offline', async t => {
    const { acquaint, failFor, report, server, clock, incidents } = await recorded(t);
    clock.at = hourBegin(clock.at);
    await acquaint();
    const before = server().openHour;
    report('PROBE_OUTCOME_NO_REPLY');
    assert.deepEqual([server().status, server().openHour], ['online', before]);
    failFor(300, 'PROBE_OUTCOME_NO_REPLY');
    assert.equal(server().status, 'offline');
    const { state, at, holdMs, players } = samplesOf(server()).at(-1) ?? assert.fail();
    assert.deepEqual([state, holdMs, players], ['offline', 1.5 * MINUTE, undefined]);
    assert.ok(Math.abs(at - server().lastProbeAt) <= 15 * SECOND);
    assert.deepEqual(incidents, [['offline', KEY, server().lastProbeAt, 'no_reply']]);
  });

  test('begins an incident, and delays the write of the server record until the history has stored the incident', async t => {
    const { acquaint, failFor, server, answer, clock, incidents, store } = await recorded(t);
    await acquaint();
    const apply = t.mock.method(store, 'apply');
    failFor(300, 'PROBE_OUTCOME_NO_REPLY');
    // The clock is set back before the server answers. Even so, the incident must end later than it started.
    const began = server().lastProbeAt;
    clock.at = began - 10_000;
    answer();
    const held = apply.mock.calls.flatMap(({ arguments: [, next, awaits] }) => (awaits ? [next.status] : []));
    assert.deepEqual(held, ['offline', 'online']);
    assert.deepEqual(
      incidents.map(([event, , at]) => [event, at]),
      [
        ['offline', began],
        ['online', began + 1],
      ],
    );
  });

  test('adds an `unknown` sample if the host name of an offline server is unresolvable', async t => {
    const { acquaint, failFor, report, server, clock } = await recorded(t);
    clock.at = hourBegin(clock.at);
    await acquaint();
    failFor(300, 'PROBE_OUTCOME_NO_REPLY');
    clock.at += MINUTE;
    report('PROBE_OUTCOME_UNRESOLVABLE');
    assert.deepEqual(
      samplesOf(server())
        .slice(-2)
        .map(({ state }) => state),
      ['offline', 'unknown'],
    );
  });

  test('adds no sample if the host name of an online server cannot be resolved', async t => {
    const { acquaint, report, server, clock, incidents } = await recorded(t);
    await acquaint();
    const before = server().openHour;
    clock.at += MINUTE;
    report('PROBE_OUTCOME_UNRESOLVABLE');
    assert.deepEqual(server().openHour, before);
    assert.deepEqual(incidents, []);
  });

  test('reports an offline period to the history only if the server has answered before', async t => {
    const { acquaint, track, failFor, report, answer, server, clock, incidents } = await recorded(t, 0);
    await track('7.7.7.7:27015');
    for (let i = 0; i < 200; i++, clock.at += 3 * SECOND) report('PROBE_OUTCOME_NO_REPLY', '7.7.7.7:27015');
    assert.equal(server('7.7.7.7:27015').status, 'offline');
    await acquaint();
    failFor(300, 'PROBE_OUTCOME_REFUSED');
    const offlineAt = server().lastProbeAt;
    clock.at += MINUTE;
    answer();
    assert.deepEqual(incidents, [
      ['offline', KEY, offlineAt, 'refused'],
      ['online', KEY, clock.at],
    ]);
  });
});
