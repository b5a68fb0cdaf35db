import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { goOffline } from './going-offline.ts';
import { ADDRESS, ProbedServer } from './probed-server.ts';
import { noReply, online } from './scripted-prober.ts';

describe('the field `_stale` (the data of a server is old)', () => {
  let server: ProbedServer;
  beforeEach(async () => {
    server = await ProbedServer.start();
  });
  afterEach(() => server.stop());

  it('appears, with the status `pending`, if the prober sends no report for over 600 s', async () => {
    await server.becomesOnline();
    const succeeded = new Date(server.clock.ms).toISOString();
    // Deletes the results that the fake prober reports. Without results, the fake prober sends no further reports.
    server.prober.findings.clear();
    server.clock.advance(600);
    const fresh = await server.rest();
    assert.deepEqual(
      [fresh._updater.status, fresh._updater.reason, fresh._stale],
      ['online', undefined, undefined],
    );
    assert.equal((await server.grpc()).stale, null);
    server.clock.advance(1);
    const shown = await server.rest();
    assert.deepEqual(shown._stale, {
      reason: 'probe_delayed',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: succeeded,
    });
    assert.deepEqual([shown._updater.status, shown._updater.reason], ['pending', 'prober_unavailable']);
    assert.equal(shown.players, 3);
    const typed = await server.grpc();
    assert.deepEqual(typed.stale, {
      reason: 'probe_delayed',
      ageSeconds: 601,
      thresholdSeconds: 600,
      lastSuccessAt: { seconds: Date.parse(succeeded) / 1000, nanos: 0 },
    });
    assert.equal(typed.updater?.status, 'SERVER_STATUS_PENDING');
    assert.equal(typed.updater?.reason, 'prober_unavailable');
    assert.equal(typed.payload?.players, 3);
  });

  it('disappears after a successful probe', async () => {
    await server.becomesOnline();
    server.prober.findings.clear();
    server.clock.advance(3600);
    assert.equal((await server.rest())._stale?.age_seconds, 3600);
    server.prober.find('csgo', ADDRESS, online(4));
    const fresh = await server.becomes('fresh data', ({ players }) => players === 4);
    assert.deepEqual(
      [fresh._updater.status, fresh._updater.reason, fresh._stale],
      ['online', undefined, undefined],
    );
  });

  it('has the reason `offline` while the server is offline', async () => {
    const first = await server.becomesOnline();
    server.prober.find('csgo', ADDRESS, noReply);
    await goOffline(server.clock, server.rest);
    server.prober.findings.clear();
    server.clock.ms = Date.parse(first._updater.last_online_at ?? '') + 601_000;
    assert.deepEqual((await server.rest())._stale, {
      reason: 'offline',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: first._updater.last_online_at,
    });
    assert.equal((await server.grpc()).stale?.reason, 'offline');
  });

  it('appears when the data is older than one hour if GSQ_STALE_AFTER is 1h', async () => {
    await server.stop();
    server = await ProbedServer.start({ GSQ_STALE_AFTER: '1h' });
    await server.becomesOnline();
    server.prober.findings.clear();
    server.clock.advance(3600);
    assert.equal((await server.rest())._stale, undefined);
    server.clock.advance(1);
    assert.equal((await server.rest())._stale?.threshold_seconds, 3600);
  });

  it('appears after three intervals, not after 600 s, if the probe interval is five minutes', async () => {
    await server.stop();
    server = await ProbedServer.start({ GSQ_PROBE_INTERVAL: '5m' });
    const { _updater } = await server.becomesOnline();
    assert.equal(_updater.firewall_interval_minutes, 5);
    server.prober.findings.clear();
    server.clock.advance(900);
    assert.equal((await server.rest())._stale, undefined);
    server.clock.advance(1);
    assert.equal((await server.rest())._stale?.threshold_seconds, 900);
  });
});
