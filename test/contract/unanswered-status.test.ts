import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { AddServersResponse__Output } from '../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { RemoveServersResponse__Output } from '../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox, unary } from '../core/rpc/answer.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { goOffline, nextProbe } from './going-offline.ts';
import { credentialMetadata, deadline, FetchConversation, fetchServers, resultFor } from './grpc.ts';
import { metaIn, postFetch, serverIn } from './rest.ts';
import { online } from './scripted-prober.ts';
import { ADDRESS, nothingInserted, request, UnansweredServer } from './unanswered-server.ts';

const HOUR_S = 60 * 60;

describe('a server that gsq stopped tracking after failed probes', () => {
  let server: UnansweredServer;
  beforeEach(async () => {
    server = new UnansweredServer();
    await server.start();
  });
  afterEach(() => server.stop());

  test('is still shown as offline by REST and every gRPC method', async () => {
    const { _updater, message } = await server.giveUp();
    const typed = resultFor(
      await fetchServers(server.service.grpc, { ...request(), waitMs: 5_000 }),
      'csgo',
      ADDRESS,
    );
    assert.deepEqual(
      [typed.updater?.status, typed.updater?.reason, typed.message, typed.payload],
      ['SERVER_STATUS_OFFLINE', 'no_reply', message, null],
    );
    assert.equal(
      Number(typed.updater?.nextProbeAt?.seconds) * 1000,
      Math.floor(Date.parse(_updater.next_probe_at ?? '') / 1000) * 1000,
    );
    const conversation = new FetchConversation(server.service.grpc);
    conversation.send({ id: 1, fetch: { ...request(), waitMs: 5_000 } });
    const { fetched } = await conversation.next();
    const body = JSON.parse(String(fetched?.body));
    assert.deepEqual([body[ADDRESS], body._meta], [{ message, _updater }, nothingInserted]);
    await conversation.end();
    // Fetches two servers: the known server, by its IPv4-mapped IPv6 address, and a new server. The core must insert
    // only the new server.
    const [other, fresh] = ['[::ffff:127.0.0.1]:27015', '127.0.0.9:27015'];
    const mixed = await postFetch(server.service.http, [{ game_id: 'csgo', servers: [other, fresh] }]);
    assert.deepEqual(serverIn(mixed, other), { message, _updater });
    assert.equal(metaIn(mixed).auto_inserted, 1);
    const client = clients.server(server.service.grpc);
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 1);
    const [snapshot] = inbox.messages[0]?.snapshot?.results ?? [];
    assert.deepEqual(snapshot?.updater, typed.updater);
    stream.cancel();
    await inbox.over;
    client.close();
  });

  test('is tracked again, and reported as online to watchers, when it answers a probe', async () => {
    await server.giveUp();
    const client = clients.server(server.service.grpc);
    server.clock.advance(HOUR_S);
    server.prober.find('csgo', ADDRESS, online(3));
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 2);
    assert.equal(inbox.messages[1]?.change?.updater?.status, 'SERVER_STATUS_ONLINE');
    stream.cancel();
    await inbox.over;
    client.close();
    assert.deepEqual(
      [(await server.look()).players, await server.metric('gsq_status_changes_total', 'online')],
      [3, 1],
    );
    assert.deepEqual([await server.tracked(), await server.metric('gsq_servers_unanswered')], [1, 0]);
  });

  test('is reported as offline to watchers only once, with the time of its next probe', async () => {
    const client = clients.server(server.service.grpc);
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    const { _updater } = await server.giveUp();
    const last = () => inbox.messages.at(-1)?.change?.updater;
    await inbox.until(() => last()?.status === 'SERVER_STATUS_OFFLINE');
    assert.equal(last()?.nextProbeAt?.seconds, Math.floor(Date.parse(_updater.next_probe_at ?? '') / 1000));
    assert.equal(
      inbox.messages.filter(({ change }) => change?.updater?.status === 'SERVER_STATUS_OFFLINE').length,
      1,
    );
    stream.cancel();
    await inbox.over;
    client.close();
  });

  test('is tracked permanently if an operator adds it, and is forgotten if an operator removes it', async () => {
    const admin = clients.admin(server.service.internal);
    const metadata = internalMetadata(INTERNAL_SECRET);
    const add = async () =>
      (
        await unary<AddServersResponse__Output>(done =>
          admin.addServers(request(), metadata, deadline(), done),
        )
      ).meta?.autoInserted;
    const remove = async () =>
      (
        await unary<RemoveServersResponse__Output>(done =>
          admin.removeServers(request(), metadata, deadline(), done),
        )
      ).removed.length;
    try {
      await server.giveUp();
      assert.equal(await add(), 1);
      assert.deepEqual([await server.tracked(), await server.metric('gsq_servers_unanswered')], [1, 0]);
      const seen = await goOffline(server.clock, server.look);
      assert.equal(seen.at(-1)?._updater.reason, 'no_reply');
      for (let i = 0; i < 5; i++) await nextProbe(server.clock, server.look);
      assert.deepEqual([await server.tracked(), await add()], [1, 0]);
      assert.deepEqual([await remove(), await remove()], [1, 0]);

      assert.equal((await server.look())._updater.status, 'pending', 'inserted anew');
      await server.giveUp();
      assert.deepEqual([await remove(), await server.metric('gsq_servers_unanswered')], [1, 0]);
      assert.deepEqual([await remove(), (await server.look())._updater.status], [0, 'pending']);
      // `look` has just fetched the server, so gsq tracks the server again. The first `add` marks the server as added
      // by an operator: gsq tracks such a server even if it never answers. The second `add` changes nothing.
      assert.deepEqual([await add(), await add(), await server.tracked()], [1, 0, 1]);
    } finally {
      admin.close();
    }
  });
});
