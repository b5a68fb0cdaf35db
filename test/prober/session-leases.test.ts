import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { INTERNAL_SECRET_KEY } from '../../proto/clients.ts';
import { answering, opened, waitingForFirst, welcomed } from './opened-session.ts';

test('a new prober session sends the name of the prober, the capacity and the internal secret to the core', async t => {
  const { core, session } = await opened(t);
  await core.until(() => core.messages.length === 1);
  assert.deepEqual(core.messages[0]?.hello, {
    prober: 'a prober',
    maxInFlight: 77,
    session: '',
    leasesReceived: 0,
    absentCounts: true,
  });
  assert.deepEqual(core.newest.metadata.get(INTERNAL_SECRET_KEY), ['between us']);
  assert.equal(session.connected, false, 'not yet welcomed');
});

test('a prober session probes the servers that the core leases, reports the results, and obeys the target policy of the core', async t => {
  const probed: string[] = [];
  const { core, session } = await opened(t, async (lease, policy) => {
    probed.push(`${lease.leaseId} ${lease.host} ${policy.allows('127.0.0.1')} ${policy.allows('10.0.0.1')}`);
    return answering(lease, policy);
  });
  await core.until(() => core.messages.length === 1);
  core.welcome(['127.0.0.0/8']);
  core.lease(7);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(probed, ['7 1.2.3.4 true false']);
  assert.deepEqual(core.reports, [{ seq: 1, leaseIds: [7] }]);
  assert.equal(session.connected, true);
});

test('a prober session probes neither the addresses of its own machine nor the targets that the core denies', async t => {
  const held = { address: '8.8.4.4', netmask: '255.255.255.0', family: 'IPv4', internal: false };
  t.mock.method(os, 'networkInterfaces', () => ({ eth0: [{ ...held, mac: '', cidr: null }] }));
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const allowed: boolean[] = [];
  const { core } = await opened(t, async (lease, policy) => {
    allowed.push(...['127.0.0.1', '127.9.9.9', '8.8.8.8', '8.8.4.4'].map(ip => policy.allows(ip)));
    return answering(lease, policy);
  });
  await core.until(() => core.messages.length === 1);
  core.welcome(['127.0.0.0/8'], ['127.9.0.0/16']);
  core.lease(7);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(allowed, [true, false, true, false]);
});

test('a prober session ignores leases (orders to probe) until the core has sent its Welcome message with the rules for allowed targets', async t => {
  const { core } = await opened(t);
  await core.until(() => core.messages.length === 1);
  core.lease(1);
  core.welcome();
  core.lease(2);
  await core.until(() => core.reports.length === 1);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
});

test('a prober session sends reports in numbered messages, with at most 100 reports in a message', async t => {
  const { core } = await welcomed(t);
  core.lease(...Array.from({ length: 250 }, (_, i) => i + 1));
  await core.until(() => core.reports.flatMap(({ leaseIds }) => leaseIds).length === 250);
  assert.deepEqual(
    core.reports.map(({ seq, leaseIds }) => [seq, leaseIds.length]),
    [
      [1, 100],
      [2, 100],
      [3, 50],
    ],
  );
  assert.equal(new Set(core.reports.flatMap(({ leaseIds }) => leaseIds)).size, 250);
});

test('a prober session reports finished probes while another probe is still running', async t => {
  const { core, release } = await waitingForFirst(t);
  assert.deepEqual(core.reports[0]?.leaseIds, [2]);
  release();
  await core.until(() => core.reports.length === 2);
  assert.deepEqual(core.reports[1], { seq: 2, leaseIds: [1] });
});
