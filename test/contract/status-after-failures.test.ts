import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { clients } from '../../proto/clients.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox } from '../core/rpc/answer.ts';
import { goOffline, nextProbe } from './going-offline.ts';
import { credentialMetadata, deadline } from './grpc.ts';
import { ADDRESS, ProbedServer } from './probed-server.ts';
import type { RestServer } from './rest.ts';
import { noReply, online } from './scripted-prober.ts';

describe('the status of a server after failed probes', () => {
  let server: ProbedServer;
  beforeEach(async () => {
    server = await ProbedServer.start();
  });
  afterEach(() => server.stop());

  it('becomes `offline` within three probe intervals if the server stops answering', async () => {
    await server.becomesOnline();
    // After ten probes without loss, the failure detector knows that packets to this server are rarely lost.
    server.prober.find('csgo', ADDRESS, { ...online(3), signals: { packetsSent: 3, packetsLost: 0 } });
    for (let i = 0; i < 10; i++) await nextProbe(server.clock, server.rest);
    const first = await server.rest();
    server.prober.find('csgo', ADDRESS, noReply);
    const seen = await goOffline(server.clock, server.rest);
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
    const silentMs = server.clock.ms - Date.parse(seen[0]?._updater.last_probe_at ?? '');
    assert.ok(silentMs > 45_000 && silentMs < 3 * 60_000, `after ${silentMs} ms`);
    assert.equal((await server.grpc()).updater?.reason, 'no_reply');
  });

  it('is reported by WatchServers, with the reason, when it becomes `offline`', async () => {
    await server.becomesOnline();
    const client = clients.server(server.service.grpc);
    const stream = client.watchServers(
      { servers: [{ gameId: 'csgo', servers: [ADDRESS] }] },
      credentialMetadata(),
      deadline(),
    );
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 1);
    server.prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_REFUSED' });
    await goOffline(server.clock, server.rest);
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

  it('stays `online` if the server answers every second probe', async () => {
    await server.becomesOnline();
    for (const finding of [noReply, online(), noReply, online(), noReply]) {
      server.prober.find('csgo', ADDRESS, finding);
      assert.equal((await nextProbe(server.clock, server.rest))._updater.status, 'online');
    }
  });

  it('becomes `pending` after 600 s if the server list of the game publisher is unavailable', async () => {
    const first = await server.becomesOnline();
    server.prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE' });
    const succeeded = Date.parse(first._updater.last_online_at ?? '');
    const statuses = new Set<string>();
    while (server.clock.ms <= succeeded + 600_000) {
      const { _updater, _stale } = await nextProbe(server.clock, server.rest);
      if (server.clock.ms > succeeded + 600_000) break;
      statuses.add(_updater.status);
      assert.equal(_stale, undefined);
    }
    assert.deepEqual([...statuses], ['online']);
    const { _updater, _stale, players } = await server.rest();
    assert.deepEqual(
      [_updater.status, _updater.reason, _stale?.reason, players],
      ['pending', 'directory_unavailable', 'unknowable', 3],
    );
  });

  it('comes with a `message` instead of data if the server has never answered', async () => {
    server.prober.find('csgo', ADDRESS, noReply);
    const seen = [await server.rest(), ...(await goOffline(server.clock, server.rest))];
    assert.deepEqual([seen[0]?._updater.status, seen[0]?._updater.reason], ['pending', 'unprobed']);
    for (const { _updater } of seen.slice(1, -1)) {
      assert.deepEqual([_updater.status, _updater.reason], ['pending', 'no_reply']);
    }
    const offline = seen.at(-1) as RestServer;
    assert.deepEqual(Object.keys(offline), ['message', '_updater']);
    assert.deepEqual([offline._updater.reason, offline._updater.last_online_at], ['no_reply', null]);
    server.clock.advance(86_400);
    assert.equal((await server.rest())._stale, undefined);
    const result = await server.grpc();
    assert.deepEqual([result.payload, result.stale], [null, null]);
    assert.notEqual(result.message, '');
  });
});
