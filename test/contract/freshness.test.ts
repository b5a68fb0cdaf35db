import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { until } from '../system/until.ts';
import { fetchServers, resultFor } from './grpc.ts';
import { Clock, type InProcess, startInProcess } from './in-process.ts';
import { fetchOne, type RestServer } from './rest.ts';
import { noReply, online, ScriptedProber } from './scripted-prober.ts';

const ADDRESS = '127.0.0.1:27015';

describe('_stale: the last success is older than 600 s (or three intervals, if longer)', () => {
  let clock: Clock;
  let service: InProcess;
  let prober: ScriptedProber;

  const start = async (env: Record<string, string>) => {
    clock = new Clock();
    service = await startInProcess({ GSQ_PROBE_INTERVAL: '1m', ...env }, clock.now);
    prober = new ScriptedProber(service.internal);
  };
  const stop = async () => {
    prober.leave();
    await service.stop();
  };
  beforeEach(() => start({}));
  afterEach(stop);

  const rest = () => fetchOne(service.http, 'csgo', ADDRESS);
  const grpc = async () => {
    const answer = await fetchServers(service.grpc, { servers: [{ gameId: 'csgo', servers: [ADDRESS] }] });
    return resultFor(answer, 'csgo', ADDRESS);
  };
  const becomes = (what: string, holds: (server: RestServer) => boolean) => until(what, rest, holds);
  const becomesOnline = async () => {
    prober.find('csgo', ADDRESS, online(3));
    return becomes('online', ({ _updater }) => _updater.status === 'online');
  };

  it('absent up to 600 s, present after: reason probe_delayed while no probe came back', async () => {
    await becomesOnline();
    const succeeded = new Date(clock.ms).toISOString();
    // From here on its probes are under way and never end.
    prober.findings.clear();
    clock.advance(600);
    assert.equal((await rest())._stale, undefined);
    assert.equal((await grpc()).stale, null);
    clock.advance(1);
    const server = await rest();
    assert.deepEqual(server._stale, {
      reason: 'probe_delayed',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: succeeded,
    });
    assert.equal(server._updater.status, 'online');
    assert.equal(server.players, 3);
    assert.deepEqual((await grpc()).stale, {
      reason: 'probe_delayed',
      ageSeconds: 601,
      thresholdSeconds: 600,
      lastSuccessAt: { seconds: Date.parse(succeeded) / 1000, nanos: 0 },
    });
  });

  it('a success takes it away', async () => {
    await becomesOnline();
    prober.findings.clear();
    clock.advance(3600);
    assert.equal((await rest())._stale?.age_seconds, 3600);
    prober.find('csgo', ADDRESS, online(4));
    const fresh = await becomes('fresh data', ({ players }) => players === 4);
    assert.equal(fresh._stale, undefined);
  });

  it('reason offline where the server is offline; it goes offline only after two failed probes in a row', async () => {
    const first = await becomesOnline();
    prober.find('csgo', ADDRESS, noReply);
    clock.advance(120);
    const once = await becomes(
      'one failure',
      ({ _updater }) => _updater.last_probe_at !== first._updater.last_probe_at,
    );
    assert.equal(once._updater.status, 'online');
    clock.advance(30);
    const offline = await becomes('two failures', ({ _updater }) => _updater.status === 'offline');
    assert.deepEqual([offline.name, offline.updated], [first.name, first.updated]);
    assert.equal(offline._updater.last_online_at, first._updater.last_online_at);
    assert.equal(offline._stale, undefined);
    clock.advance(451);
    assert.deepEqual((await rest())._stale, {
      reason: 'offline',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: first._updater.last_online_at,
    });
    assert.equal((await grpc()).stale?.reason, 'offline');
  });

  it('a success between two failures keeps it online', async () => {
    const first = await becomesOnline();
    let last = first._updater.last_probe_at;
    for (const finding of [noReply, online(), noReply, online(), noReply]) {
      prober.find('csgo', ADDRESS, finding);
      clock.advance(120);
      const seen = await becomes('the next probe', ({ _updater }) => _updater.last_probe_at !== last);
      assert.equal(seen._updater.status, 'online');
      last = seen._updater.last_probe_at;
    }
  });

  it('fallback message object of a server that never answered: pending, then offline, never stale', async () => {
    prober.find('csgo', ADDRESS, noReply);
    await rest();
    const once = await becomes('one failure', ({ _updater }) => _updater.last_probe_at !== null);
    assert.equal(once._updater.status, 'pending');
    clock.advance(30);
    const offline = await becomes('two failures', ({ _updater }) => _updater.status === 'offline');
    assert.deepEqual(Object.keys(offline), ['message', '_updater']);
    assert.equal(offline._updater.last_online_at, null);
    clock.advance(86_400);
    assert.equal((await rest())._stale, undefined);
    const result = await grpc();
    assert.deepEqual([result.payload, result.stale], [null, null]);
    assert.notEqual(result.message, '');
  });

  it('GSQ_STALE_AFTER sets the threshold', async () => {
    await stop();
    await start({ GSQ_STALE_AFTER: '1h' });
    await becomesOnline();
    prober.findings.clear();
    clock.advance(3600);
    assert.equal((await rest())._stale, undefined);
    clock.advance(1);
    assert.equal((await rest())._stale?.threshold_seconds, 3600);
  });

  it('three intervals, if longer', async () => {
    await stop();
    await start({ GSQ_PROBE_INTERVAL: '5m' });
    const server = await becomesOnline();
    assert.equal(server._updater.firewall_interval_minutes, 5);
    prober.findings.clear();
    clock.advance(900);
    assert.equal((await rest())._stale, undefined);
    clock.advance(1);
    assert.equal((await rest())._stale?.threshold_seconds, 900);
  });
});
