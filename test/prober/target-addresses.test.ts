import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TargetPolicy } from '../../net/targets.ts';
import { SERVFAIL } from '../system/name-server.ts';
import { closed, resolving } from './resolved-target.ts';

const opened = new TargetPolicy(['127.0.0.0/8', 'fd00::/8']);

test('a target with an IP address is used without a DNS query', async t => {
  const { resolve, asked } = await resolving(t);
  assert.deepEqual(await resolve({ confirm: true }), {
    address: '1.2.3.4',
    own: false,
    policy: closed,
    host: '1.2.3.4',
    ports: [27016, 27015],
    joinPort: 27015,
    protocol: 'a2s',
    gamedigId: 'csgo',
    confirm: true,
    timeoutMs: 0,
    urgent: false,
    secret: undefined,
    options: undefined,
  });
  assert.deepEqual(asked, []);
});

test('a target with a forbidden IP address is blocked unless the core allows the range of the address', async t => {
  const { outcomeOf } = await resolving(t);
  for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1']) {
    assert.equal(await outcomeOf({ host }), 'PROBE_OUTCOME_BLOCKED', host);
  }
  assert.equal(await outcomeOf({ host: '127.0.0.1' }, opened), '127.0.0.1');
  assert.equal(await outcomeOf({ host: 'fd00::1' }, opened), 'fd00::1');
});

test('an IPv6 address with a zone is always blocked, because a zone is only valid on one machine', async t => {
  const { outcomeOf } = await resolving(t);
  for (const host of ['fe80::1%lo', 'fe80::1%1', '2606:4700::1%1', 'fd00::1%eth0', '::ffff:127.0.0.1%1']) {
    assert.equal(await outcomeOf({ host }, new TargetPolicy(['::/0'])), 'PROBE_OUTCOME_BLOCKED', host);
  }
});

test('a target that the core denies is blocked, whether it is written as an address or as a host name', async t => {
  const { outcomeOf } = await resolving(t, { 'asked-us.test': { a: ['127.9.0.1'], aaaa: ['fd00:9::1'] } });
  const policy = new TargetPolicy(['127.0.0.0/8', 'fd00::/8'], { denied: ['127.9.0.0/16', 'fd00:9::/32'] });
  for (const host of ['127.9.0.1', 'fd00:9::1', 'asked-us.test']) {
    assert.equal(await outcomeOf({ host }, policy), 'PROBE_OUTCOME_BLOCKED', host);
  }
  assert.equal(await outcomeOf({ host: '127.8.0.1' }, policy), '127.8.0.1');
});

test('an IPv6 address of a target is normalised to compressed notation, for example 2606:4700::1', async t => {
  const { resolve } = await resolving(t);
  const found = await resolve({ host: '2606:4700:0:0:0:0:0:1' });
  assert.ok(!('outcome' in found));
  assert.deepEqual([found.address, found.host], ['2606:4700::1', '2606:4700:0:0:0:0:0:1']);
});

test('a host name resolves to its first allowed address, and the target keeps the host name', async t => {
  const { resolve, outcomeOf } = await resolving(t, {
    'one.test': { a: ['1.2.3.4'] },
    'mixed.test': { a: ['10.0.0.1', '5.6.7.8'] },
    'six.test': { aaaa: ['2606:4700::1'] },
  });
  const found = await resolve({ host: 'one.test' });
  assert.ok(!('outcome' in found));
  assert.deepEqual([found.address, found.host], ['1.2.3.4', 'one.test']);
  assert.equal(await outcomeOf({ host: 'mixed.test' }), '5.6.7.8');
  assert.equal(await outcomeOf({ host: 'six.test' }), '2606:4700::1');
});

test('a target is blocked if its host name has only private addresses', async t => {
  const { resolve, outcomeOf } = await resolving(t, {
    'private.test': { a: ['127.0.0.1', '10.0.0.1'] },
  });
  assert.deepEqual(await resolve({ host: 'private.test' }), {
    outcome: 'PROBE_OUTCOME_BLOCKED',
    detail: 'private.test has no address that may be probed',
  });
  assert.equal(await outcomeOf({ host: 'private.test' }, opened), '127.0.0.1');
  assert.equal(await outcomeOf({ host: 'localhost' }), 'PROBE_OUTCOME_BLOCKED');
});

test('a target whose host name has no address is unresolvable, but a failed DNS look-up counts as a fault of the prober', async t => {
  const { resolve, outcomeOf } = await resolving(t, {
    'broken.test': { a: SERVFAIL, aaaa: SERVFAIL },
  });
  assert.equal(await outcomeOf({ host: 'none.test' }), 'PROBE_OUTCOME_UNRESOLVABLE');
  assert.equal(await outcomeOf({ host: 'some.invalid' }), 'PROBE_OUTCOME_UNRESOLVABLE');
  assert.deepEqual(await resolve({ host: 'broken.test' }), {
    outcome: 'PROBE_OUTCOME_PROBER_FAULT',
    detail: 'look-up of broken.test failed: ESERVFAIL',
  });
});
