import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { until } from '../system/until.ts';
import { nextProbe } from './going-offline.ts';
import { metaIn, postFetch } from './rest.ts';
import { ADDRESS, groups, nothingInserted, UnansweredServer } from './unanswered-server.ts';

const HOUR_S = 60 * 60;
/**
 * gsq gives up a server that never answers. This is the number of probes in the next 24 hours. The probes are due 1, 3,
 * 7 and 15 hours after gsq gave up the server.
 */
const TRIES_A_DAY = 4;

describe('a server that never answers', () => {
  let server: UnansweredServer;
  beforeEach(async () => {
    server = new UnansweredServer();
    await server.start();
  });
  afterEach(() => server.stop());

  test('stays offline and is probed again if a restart of the core interrupts a probe', async () => {
    await server.giveUp();
    const looks = server.probes();
    server.prober.findings.clear();
    server.clock.advance(HOUR_S);
    assert.equal((await server.look())._updater.status, 'offline');
    await until(
      'a lease',
      () => server.probes() - looks,
      count => count === 1,
    );
    await server.stop();
    await server.start();
    const { _updater } = await nextProbe(server.clock, server.look);
    assert.deepEqual([_updater.status, _updater.firewall_interval_minutes], ['offline', 120]);
    assert.equal(server.probes() - looks, 2);
    assert.deepEqual([await server.tracked(), await server.metric('gsq_servers_unanswered')], [0, 1]);
  });

  test('stays `pending` and is probed four times a day if gsq lacks the credentials of the server', async () => {
    server.prober.find('csgo', ADDRESS, { outcome: 'PROBE_OUTCOME_NEEDS_CREDENTIALS' });
    await server.look();
    while ((await server.tracked()) > 0) await nextProbe(server.clock, server.look);
    const { _updater, message } = await server.look();
    assert.deepEqual(
      [_updater.status, _updater.reason, _updater.firewall_interval_minutes],
      ['pending', 'needs_credentials', 60],
    );
    assert.match(String(message), /credentials/);
    const before = server.probes();
    const { statuses, metas } = await server.fetchFor(24, 10);
    assert.deepEqual(statuses, ['pending needs_credentials']);
    for (const meta of metas) assert.deepEqual(meta, nothingInserted);
    assert.equal(server.probes() - before, TRIES_A_DAY);
    assert.equal(await server.metric('gsq_status_changes_total', 'offline'), 0);
  });

  test('is reported as blocked_address after a restart of the core if GSQ_DENY_TARGETS contains the address of the server', async () => {
    await server.giveUp();
    await server.stop();
    await server.start({ GSQ_DENY_TARGETS: '127.0.0.1/32' });
    const answer = await postFetch(server.service.http, groups());
    assert.equal(metaIn(answer).invalid_servers[0]?.reason, 'blocked_address');
  });
});
