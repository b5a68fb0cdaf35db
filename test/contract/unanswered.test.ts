import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { AddServersResponse__Output } from '../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { RemoveServersResponse__Output } from '../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox, unary } from '../core/rpc/answer.ts';
import { readExposition } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { goOffline, nextProbe } from './going-offline.ts';
import { credentialMetadata, deadline, FetchConversation, fetchServers, resultFor } from './grpc.ts';
import { Clock, type InProcess, startOn } from './in-process.ts';
import { fetchOne, metaIn, postFetch, type RestMeta, type RestServer, serverIn } from './rest.ts';
import { noReply, online, ScriptedProber } from './scripted-prober.ts';

const ADDRESS = '127.0.0.1:27015';
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
/** Number of probes in the first 24 hours after a server went offline: after 1, 3, 7 and 15 hours. */
const TRIES_A_DAY = 4;

describe('a server that never answers', () => {
  let clock: Clock;
  let directory: string;
  let service: InProcess;
  let prober: ScriptedProber;
  /** Number of leases that earlier scripted probers of the same test received. */
  let leasedBefore = 0;
  const start = async (more: Record<string, string> = {}) => {
    const env = { GSQ_PROBE_INTERVAL: '1m', GSQ_UNPROVEN_PROBES: '3', ...more };
    service = await startOn(directory, env, clock.now);
    prober = new ScriptedProber(service.internal);
    prober.find('csgo', ADDRESS, noReply);
  };
  const stop = async () => {
    leasedBefore += prober.leases.length;
    prober.leave();
    await service.stop();
  };
  beforeEach(async () => {
    clock = new Clock();
    directory = scratchDirectory();
    leasedBefore = 0;
    await start();
  });
  afterEach(stop);

  const probes = () => leasedBefore + prober.leases.length;
  const look = () => fetchOne(service.http, 'csgo', ADDRESS);
  const groups = (address = ADDRESS) => [{ game_id: 'csgo', servers: [address] }];
  const request = (address = ADDRESS) => ({ servers: [{ gameId: 'csgo', servers: [address] }] });
  const samples = async () => readExposition(await metricsText(service.coreOps)).samples;
  const metric = async (name: string, status?: string) =>
    (await samples()).find(each => each.name === name && each.labels.get('status') === status)?.value;
  /** Advances the clock until the core gives up the server: the server is offline and not tracked any more. */
  const giveUp = async (): Promise<RestServer> => {
    await goOffline(clock, look);
    await until('nothing to be tracked', tracked, count => count === 0);
    return look();
  };
  const tracked = async () =>
    (await samples()).filter(({ name }) => name === 'gsq_servers').reduce((sum, { value }) => sum + value, 0);

  /**
   * Fetches the server every `everyMinutes` minutes for this number of hours. Returns the distinct statuses and all
   * `_meta` objects.
   */
  const fetchFor = async (hours: number, everyMinutes = 1) => {
    const statuses = new Set<string>();
    const metas: RestMeta[] = [];
    for (let hour = 0; hour < hours; hour++) {
      const conversation = new FetchConversation(service.grpc);
      const ask = async (): Promise<RestServer> => {
        conversation.send({ id: 1, fetch: request() });
        const { fetched } = await conversation.next();
        const { [ADDRESS]: server, _meta } = JSON.parse(String(fetched?.body));
        metas.push(_meta);
        return server;
      };
      for (let minute = 0; minute < 60; minute += everyMinutes) {
        clock.advance(everyMinutes * MINUTE_S);
        const { _updater } = await ask();
        statuses.add(`${_updater.status} ${_updater.reason}`);
        const isDue = Date.parse(_updater.next_probe_at ?? '') <= clock.ms;
        const isTried = (now: RestServer) => now._updater.last_probe_at !== _updater.last_probe_at;
        if (isDue) await until('the try to be over', ask, isTried);
      }
      await conversation.end();
    }
    return { statuses: [...statuses], metas };
  };
  const nothingInserted = { auto_inserted: 0, inserted_servers: [], invalid_servers: [] };

  test('is inserted once, goes offline once and is probed four more times if it is fetched every minute for a day', async () => {
    await stop();
    await start({ GSQ_INSERTS_PER_DAY: '2' });
    const first = await postFetch(service.http, groups());
    assert.equal(metaIn(first).auto_inserted, 1);
    const { _updater } = await giveUp();
    const looks = probes();
    assert.ok(looks < 20, `${looks} probes to the verdict`);
    assert.deepEqual(
      [_updater.status, _updater.reason, _updater.firewall_interval_minutes, _updater.last_online_at],
      ['offline', 'no_reply', 60, null],
    );
    assert.equal(Date.parse(_updater.next_probe_at ?? '') - clock.ms, HOUR_S * 1000);

    const hours = await fetchFor(23);
    // The token can insert two servers in 24 hours. All fetches above counted as one insert.
    const others = ['127.0.0.2:27015', '127.0.0.3:27015'];
    const inserted: number[] = [];
    for (const other of others) {
      inserted.push(metaIn(await postFetch(service.http, groups(other))).auto_inserted);
      prober.find('csgo', other, online());
    }
    assert.deepEqual(inserted, [1, 0]);

    const lastHour = await fetchFor(1);
    assert.deepEqual([hours.statuses, lastHour.statuses], [['offline no_reply'], ['offline no_reply']]);
    for (const meta of [...hours.metas, ...lastHour.metas]) assert.deepEqual(meta, nothingInserted);
    const tries = prober.leases.filter(({ host }) => host === '127.0.0.1').length - looks;
    assert.equal(tries, TRIES_A_DAY);
    assert.equal(await metric('gsq_status_changes_total', 'offline'), 1);
    assert.deepEqual(
      [await tracked(), await metric('gsq_servers_unproven'), await metric('gsq_servers_unanswered')],
      [1, 0, 1],
    );
  });

  test('stays offline and is probed four times a day if the core restarts every four hours', async () => {
    await postFetch(service.http, groups());
    await giveUp();
    const looks = probes();
    for (let hour = 0; hour < 24; hour += 4) {
      await stop();
      await start();
      const { statuses, metas } = await fetchFor(4, 10);
      assert.deepEqual(statuses, ['offline no_reply']);
      for (const meta of metas) assert.deepEqual(meta, nothingInserted);
      assert.equal(await metric('gsq_status_changes_total', 'offline'), 0, 'since the restart');
    }
    assert.equal(probes() - looks, TRIES_A_DAY);
  });

  test('stays offline and is probed a second time if the core restarts during a probe', async () => {
    await giveUp();
    const looks = probes();
    prober.findings.clear();
    clock.advance(HOUR_S);
    assert.equal((await look())._updater.status, 'offline');
    await until(
      'a lease',
      () => probes() - looks,
      count => count === 1,
    );
    await stop();
    await start();
    const { _updater } = await nextProbe(clock, look);
    assert.deepEqual([_updater.status, _updater.firewall_interval_minutes], ['offline', 120]);
    assert.equal(probes() - looks, 2);
    assert.deepEqual([await tracked(), await metric('gsq_servers_unanswered')], [0, 1]);
  });

  test('is still shown as offline by REST and every gRPC method after the core stopped tracking it', async () => {
    const { _updater, message } = await giveUp();
    const typed = resultFor(
      await fetchServers(service.grpc, { ...request(), waitMs: 5_000 }),
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
    const conversation = new FetchConversation(service.grpc);
    conversation.send({ id: 1, fetch: { ...request(), waitMs: 5_000 } });
    const { fetched } = await conversation.next();
    const body = JSON.parse(String(fetched?.body));
    assert.deepEqual([body[ADDRESS], body._meta], [{ message, _updater }, nothingInserted]);
    await conversation.end();
    // Requests the same address in another form, together with a new server, which the core inserts.
    const [other, fresh] = ['[::ffff:127.0.0.1]:27015', '127.0.0.9:27015'];
    const mixed = await postFetch(service.http, [{ game_id: 'csgo', servers: [other, fresh] }]);
    assert.deepEqual(serverIn(mixed, other), { message, _updater });
    assert.equal(metaIn(mixed).auto_inserted, 1);
    const client = clients.server(service.grpc);
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 1);
    const [snapshot] = inbox.messages[0]?.snapshot?.results ?? [];
    assert.deepEqual(snapshot?.updater, typed.updater);
    stream.cancel();
    await inbox.over;
    client.close();
  });

  test('is tracked again as soon as it answers a probe, and watchers receive the change', async () => {
    await giveUp();
    const client = clients.server(service.grpc);
    clock.advance(HOUR_S);
    prober.find('csgo', ADDRESS, online(3));
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    await inbox.until(messages => messages.length === 2);
    assert.equal(inbox.messages[1]?.change?.updater?.status, 'SERVER_STATUS_ONLINE');
    stream.cancel();
    await inbox.over;
    client.close();
    assert.deepEqual([(await look()).players, await metric('gsq_status_changes_total', 'online')], [3, 1]);
    assert.deepEqual([await tracked(), await metric('gsq_servers_unanswered')], [1, 0]);
  });

  test('goes offline for watchers in one message, which contains the time of the next probe', async () => {
    const client = clients.server(service.grpc);
    const stream = client.watchServers(request(), credentialMetadata(), deadline());
    const inbox = new Inbox<WatchServersResponse__Output>(stream);
    const { _updater } = await giveUp();
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
    const admin = clients.admin(service.internal);
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
      await giveUp();
      assert.equal(await add(), 1);
      assert.deepEqual([await tracked(), await metric('gsq_servers_unanswered')], [1, 0]);
      const seen = await goOffline(clock, look);
      assert.equal(seen.at(-1)?._updater.reason, 'no_reply');
      for (let i = 0; i < 5; i++) await nextProbe(clock, look);
      assert.deepEqual([await tracked(), await add()], [1, 0]);
      assert.deepEqual([await remove(), await remove()], [1, 0]);

      assert.equal((await look())._updater.status, 'pending', 'inserted anew');
      await giveUp();
      assert.deepEqual([await remove(), await metric('gsq_servers_unanswered')], [1, 0]);
      assert.deepEqual([await remove(), (await look())._updater.status], [0, 'pending']);
      // An operator can also add a server that a caller inserted and that has not answered yet.
      assert.deepEqual([await add(), await add(), await tracked()], [1, 0, 1]);
    } finally {
      admin.close();
    }
  });

  test('stays pending with its reason if the prober lacks its credentials, and is probed four times a day', async () => {
    prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_NEEDS_CREDENTIALS' });
    await look();
    while ((await tracked()) > 0) await nextProbe(clock, look);
    const { _updater, message } = await look();
    assert.deepEqual(
      [_updater.status, _updater.reason, _updater.firewall_interval_minutes],
      ['pending', 'needs_credentials', 60],
    );
    assert.match(String(message), /credentials/);
    const before = probes();
    const { statuses, metas } = await fetchFor(24, 10);
    assert.deepEqual(statuses, ['pending needs_credentials']);
    for (const meta of metas) assert.deepEqual(meta, nothingInserted);
    assert.equal(probes() - before, TRIES_A_DAY);
    assert.equal(await metric('gsq_status_changes_total', 'offline'), 0);
  });

  test('is reported as blocked_address after a restart with settings that deny its address', async () => {
    await giveUp();
    await stop();
    await start({ GSQ_DENY_TARGETS: '127.0.0.1/32' });
    const answer = await postFetch(service.http, groups());
    assert.equal(metaIn(answer).invalid_servers[0]?.reason, 'blocked_address');
  });
});
