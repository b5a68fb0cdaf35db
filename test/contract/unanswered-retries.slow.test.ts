import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { metaIn, postFetch } from './rest.ts';
import { online } from './scripted-prober.ts';
import { groups, nothingInserted, UnansweredServer } from './unanswered-server.ts';

const HOUR_S = 60 * 60;
/**
 * Number of probes of an offline server in the first 24 hours. The probes are due 1, 3, 7 and 15 hours after the server
 * went offline.
 */
const TRIES_A_DAY = 4;

describe('a server that never answers', () => {
  let server: UnansweredServer;
  beforeEach(async () => {
    server = new UnansweredServer();
    await server.start();
  });
  afterEach(() => server.stop());

  test('is inserted once, goes offline, and is then probed four times in 24 hours, although it is fetched every minute', async () => {
    await server.stop();
    await server.start({ GSQ_INSERTS_PER_DAY: '2' });
    const first = await postFetch(server.service.http, groups());
    assert.equal(metaIn(first).auto_inserted, 1);
    const { _updater } = await server.giveUp();
    const looks = server.probes();
    assert.ok(looks < 20, `${looks} probes to the verdict`);
    assert.deepEqual(
      [_updater.status, _updater.reason, _updater.firewall_interval_minutes, _updater.last_online_at],
      ['offline', 'no_reply', 60, null],
    );
    assert.equal(Date.parse(_updater.next_probe_at ?? '') - server.clock.ms, HOUR_S * 1000);

    const hours = await server.fetchFor(23);
    // This test sets GSQ_INSERTS_PER_DAY to 2, and its first fetch has already inserted one server. Therefore only one
    // of the two servers in `others` is inserted.
    const others = ['127.0.0.2:27015', '127.0.0.3:27015'];
    const inserted: number[] = [];
    for (const other of others) {
      inserted.push(metaIn(await postFetch(server.service.http, groups(other))).auto_inserted);
      server.prober.find('csgo', other, online());
    }
    assert.deepEqual(inserted, [1, 0]);

    const lastHour = await server.fetchFor(1);
    assert.deepEqual([hours.statuses, lastHour.statuses], [['offline no_reply'], ['offline no_reply']]);
    for (const meta of [...hours.metas, ...lastHour.metas]) assert.deepEqual(meta, nothingInserted);
    const tries = server.prober.leases.filter(({ host }) => host === '127.0.0.1').length - looks;
    assert.equal(tries, TRIES_A_DAY);
    assert.equal(await server.metric('gsq_status_changes_total', 'offline'), 1);
    assert.deepEqual(
      [
        await server.tracked(),
        await server.metric('gsq_servers_unproven'),
        await server.metric('gsq_servers_unanswered'),
      ],
      [1, 0, 1],
    );
  });

  test('stays offline and is probed four times a day, even if the core restarts every four hours', async () => {
    await postFetch(server.service.http, groups());
    await server.giveUp();
    const looks = server.probes();
    for (let hour = 0; hour < 24; hour += 4) {
      await server.stop();
      await server.start();
      const { statuses, metas } = await server.fetchFor(4, 10);
      assert.deepEqual(statuses, ['offline no_reply']);
      for (const meta of metas) assert.deepEqual(meta, nothingInserted);
      assert.equal(await server.metric('gsq_status_changes_total', 'offline'), 0, 'since the restart');
    }
    assert.equal(server.probes() - looks, TRIES_A_DAY);
  });
});
