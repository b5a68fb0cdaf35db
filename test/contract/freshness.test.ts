import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { clients } from '../../proto/clients.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox } from '../core/rpc/answer.ts';
import { until } from '../system/until.ts';
import { goOffline, nextProbe } from './going-offline.ts';
import { credentialMetadata, deadline, fetchServers, resultFor } from './grpc.ts';
import { Clock, type InProcess, startInProcess } from './in-process.ts';
import { fetchOne, type RestServer } from './rest.ts';
import { noReply, online, ScriptedProber } from './scripted-prober.ts';

const ADDRESS = '127.0.0.1:27015';

describe('freshness of the data of a server', () => {
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

  it('_stale is set and the status is pending after more than 600 s without a report, and the last data stays', async () => {
    await becomesOnline();
    const succeeded = new Date(clock.ms).toISOString();
    // From here on, the scripted prober keeps every lease and sends no report.
    prober.findings.clear();
    clock.advance(600);
    const fresh = await rest();
    assert.deepEqual(
      [fresh._updater.status, fresh._updater.reason, fresh._stale],
      ['online', undefined, undefined],
    );
    assert.equal((await grpc()).stale, null);
    clock.advance(1);
    const server = await rest();
    assert.deepEqual(server._stale, {
      reason: 'probe_delayed',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: succeeded,
    });
    assert.deepEqual([server._updater.status, server._updater.reason], ['pending', 'prober_unavailable']);
    assert.equal(server.players, 3);
    const typed = await grpc();
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

  it('_stale disappears after a successful probe', async () => {
    await becomesOnline();
    prober.findings.clear();
    clock.advance(3600);
    assert.equal((await rest())._stale?.age_seconds, 3600);
    prober.find('csgo', ADDRESS, online(4));
    const fresh = await becomes('fresh data', ({ players }) => players === 4);
    assert.deepEqual(
      [fresh._updater.status, fresh._updater.reason, fresh._stale],
      ['online', undefined, undefined],
    );
  });

  it('a server that stops answering goes offline within 3 intervals, and its last data stays in the answer', async () => {
    await becomesOnline();
    // After ten probes without loss, the failure detector knows that packets to this server are rarely lost.
    prober.find('csgo', ADDRESS, { ...online(3), signals: { packetsSent: 3, packetsLost: 0 } });
    for (let i = 0; i < 10; i++) await nextProbe(clock, rest);
    const first = await rest();
    prober.find('csgo', ADDRESS, noReply);
    const seen = await goOffline(clock, rest);
    for (const { _updater } of seen.slice(0, -1)) {
      assert.deepEqual([_updater.status, _updater.reason], ['online', undefined]);
    }
    const offline = seen.at(-1) as RestServer;
    const { status, reason, last_online_at } = offline._updater;
    assert.deepEqual(
      [status, reason, last_online_at],
      ['offline', 'no_reply', first._updater.last_online_at],
    );
    assert.deepEqual([offline.name, offline.updated, offline._stale], [first.name, first.updated, undefined]);
    const silentMs = clock.ms - Date.parse(seen[0]?._updater.last_probe_at ?? '');
    assert.ok(silentMs > 45_000 && silentMs < 3 * 60_000, `after ${silentMs} ms`);
    assert.equal((await grpc()).updater?.reason, 'no_reply');
  });

  it('WatchServers sends the change to offline, with the reason', async () => {
    await becomesOnline();
    const client = clients.server(service.grpc);
    const stream = client.watchServers(
      { servers: [{ gameId: 'csgo', servers: [ADDRESS] }] },
      credentialMetadata(),
      deadline(),
    );
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 1);
    prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_REFUSED' });
    await goOffline(clock, rest);
    const verdicts = () => inbox.messages.map(({ change }) => change?.updater);
    await inbox.until(() => verdicts().at(-1)?.status === 'SERVER_STATUS_OFFLINE');
    assert.equal(verdicts().at(-1)?.reason, 'refused');
    assert.deepEqual(
      new Set(
        verdicts()
          .slice(1, -1)
          .map(updater => `${updater?.status} ${updater?.reason}`),
      ),
      new Set(['SERVER_STATUS_ONLINE ']),
    );
    stream.cancel();
    await inbox.over;
    client.close();
  });

  it('_stale has the reason offline while the server is offline', async () => {
    const first = await becomesOnline();
    prober.find('csgo', ADDRESS, noReply);
    await goOffline(clock, rest);
    prober.findings.clear();
    clock.ms = Date.parse(first._updater.last_online_at ?? '') + 601_000;
    assert.deepEqual((await rest())._stale, {
      reason: 'offline',
      age_seconds: 601,
      threshold_seconds: 600,
      last_success_at: first._updater.last_online_at,
    });
    assert.equal((await grpc()).stale?.reason, 'offline');
  });

  it('a server that answers every second probe stays online', async () => {
    await becomesOnline();
    for (const finding of [noReply, online(), noReply, online(), noReply]) {
      prober.find('csgo', ADDRESS, finding);
      assert.equal((await nextProbe(clock, rest))._updater.status, 'online');
    }
  });

  it('a server that the prober cannot query stays online for 600 s, and is pending with the reason afterwards', async () => {
    const first = await becomesOnline();
    prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE' });
    const succeeded = Date.parse(first._updater.last_online_at ?? '');
    const statuses = new Set<string>();
    while (clock.ms <= succeeded + 600_000) {
      const { _updater, _stale } = await nextProbe(clock, rest);
      if (clock.ms > succeeded + 600_000) break;
      statuses.add(_updater.status);
      assert.equal(_stale, undefined);
    }
    assert.deepEqual([...statuses], ['online']);
    const { _updater, _stale, players } = await rest();
    assert.deepEqual(
      [_updater.status, _updater.reason, _stale?.reason, players],
      ['pending', 'directory_unavailable', 'unknowable', 3],
    );
  });

  it('a server that never answered has a fallback message and no _stale, first as pending and later as offline', async () => {
    prober.find('csgo', ADDRESS, noReply);
    const seen = [await rest(), ...(await goOffline(clock, rest))];
    assert.deepEqual([seen[0]?._updater.status, seen[0]?._updater.reason], ['pending', 'unprobed']);
    for (const { _updater } of seen.slice(1, -1)) {
      assert.deepEqual([_updater.status, _updater.reason], ['pending', 'no_reply']);
    }
    const offline = seen.at(-1) as RestServer;
    assert.deepEqual(Object.keys(offline), ['message', '_updater']);
    assert.deepEqual([offline._updater.reason, offline._updater.last_online_at], ['no_reply', null]);
    clock.advance(86_400);
    assert.equal((await rest())._stale, undefined);
    const result = await grpc();
    assert.deepEqual([result.payload, result.stale], [null, null]);
    assert.notEqual(result.message, '');
  });

  it('GSQ_STALE_AFTER sets the age after which _stale is set', async () => {
    await stop();
    await start({ GSQ_STALE_AFTER: '1h' });
    await becomesOnline();
    prober.findings.clear();
    clock.advance(3600);
    assert.equal((await rest())._stale, undefined);
    clock.advance(1);
    assert.equal((await rest())._stale?.threshold_seconds, 3600);
  });

  it('_stale is set only after three intervals if three intervals are longer than 600 s', async () => {
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
