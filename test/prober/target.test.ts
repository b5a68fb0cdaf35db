import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { type NamedTarget, resolveTarget } from '../../prober/target.ts';
import { NameServer, type Records, SERVFAIL, type Service } from '../system/name-server.ts';

const closed = new TargetPolicy([]);
const opened = new TargetPolicy(['127.0.0.0/8', 'fd00::/8']);

const target = (change: Partial<NamedTarget>): NamedTarget => ({
  host: '1.2.3.4',
  port: 27015,
  queryPorts: [27016, 27015],
  protocol: 'a2s',
  gamedigId: 'csgo',
  confirm: false,
  ...change,
});

/** Starts a DNS server with these records. Returns functions that resolve targets, and the DNS queries so far. */
async function resolving(t: TestContext, names: Record<string, Records> = {}) {
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  const resolver = new Resolver([dns.address], () => 0);
  const resolve = (change: Partial<NamedTarget>, policy = closed) =>
    resolveTarget(target(change), policy, resolver);
  return {
    resolve,
    asked: dns.questions,
    outcomeOf: async (change: Partial<NamedTarget>, policy = closed): Promise<string> => {
      const found = await resolve(change, policy);
      return 'outcome' in found ? found.outcome : found.address;
    },
  };
}

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

test('the option query_port replaces all query ports of the game and the port of an SRV record', async t => {
  const record: Service = { target: 'elsewhere.test', port: 25599, priority: 0, weight: 0 };
  const { resolve, asked } = await resolving(t, {
    'play.test': { a: ['1.2.3.4'] },
    '_minecraft._tcp.play.test': { srv: [record] },
  });
  const options = new Map([['query_port', '28015']]);
  const secret = 'a secret of this test';
  const literal = await resolve({ options, secret });
  assert.ok(!('outcome' in literal));
  assert.deepEqual([literal.ports, literal.joinPort, literal.options], [[28015], 27015, options]);
  assert.equal(literal.secret, secret);
  const minecraft = await resolve({ host: 'play.test', port: 25565, protocol: 'minecraft', options });
  assert.ok(!('outcome' in minecraft));
  assert.deepEqual([minecraft.address, minecraft.ports], ['1.2.3.4', [28015]]);
  assert.ok(!asked.some(question => question.startsWith('SRV')));
  const refused = await resolve({ options: new Map([['query_port', '22']]) });
  assert.ok('outcome' in refused && refused.outcome === 'PROBE_OUTCOME_BLOCKED');
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

test('an IPv6 address is normalised to the notation of the kernel, so that a server has a single rate limit', async t => {
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

test('a host name that has only private addresses is blocked', async t => {
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

test('a host name without an address is unresolvable, but a failed DNS look-up is a fault of the prober', async t => {
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

const SRV = '_minecraft._tcp.play.test';
const service = (port: number, target: string, priority = 10): Service => ({
  priority,
  weight: 0,
  port,
  target,
});
const minecraft = { host: 'play.test', port: 25565, queryPorts: [25565], protocol: 'minecraft' };

test('a Minecraft host name with the default port resolves to the SRV record with the lowest priority value', async t => {
  const { resolve } = await resolving(t, {
    [SRV]: { srv: [service(25570, 'later.test', 20), service(25577, 'Real.test')] },
    'real.test': { a: ['1.2.3.4'] },
    'play.test': { a: ['5.6.7.8'] },
  });
  const found = await resolve(minecraft);
  assert.ok(!('outcome' in found));
  assert.deepEqual(
    [found.address, found.ports, found.host, found.joinPort],
    ['1.2.3.4', [25577], 'play.test', 25565],
  );
});

test('no SRV record is looked up for a non-default port, for another protocol or for an IP address', async t => {
  const { outcomeOf, asked } = await resolving(t, {
    [SRV]: { srv: [service(25577, 'real.test')] },
    'real.test': { a: ['1.2.3.4'] },
    'play.test': { a: ['5.6.7.8'] },
  });
  assert.equal(await outcomeOf({ ...minecraft, port: 25566 }), '5.6.7.8');
  assert.equal(await outcomeOf({ ...minecraft, protocol: 'bedrock' }), '5.6.7.8');
  assert.equal(await outcomeOf({ ...minecraft, host: '5.6.7.8' }), '5.6.7.8');
  assert.deepEqual(
    asked.filter(question => question.startsWith('SRV')),
    [],
  );
});

test('a Minecraft host name without an SRV record resolves to its own address and port', async t => {
  const { resolve } = await resolving(t, { 'play.test': { a: ['5.6.7.8'] } });
  const found = await resolve(minecraft);
  assert.ok(!('outcome' in found));
  assert.deepEqual([found.address, found.ports], ['5.6.7.8', [25565]]);
});

test('a Minecraft target is blocked if its SRV record contains a forbidden address or port', async t => {
  const { outcomeOf } = await resolving(t, {
    [SRV]: { srv: [service(25577, 'inside.test')] },
    'inside.test': { a: ['10.0.0.1'] },
    '_minecraft._tcp.mail.test': { srv: [service(25, 'real.test')] },
    '_minecraft._tcp.cache.test': { srv: [service(6379, 'real.test')] },
    'real.test': { a: ['1.2.3.4'] },
  });
  assert.equal(await outcomeOf(minecraft), 'PROBE_OUTCOME_BLOCKED');
  assert.equal(await outcomeOf({ ...minecraft, host: 'mail.test' }), 'PROBE_OUTCOME_BLOCKED');
  assert.equal(await outcomeOf({ ...minecraft, host: 'cache.test' }), 'PROBE_OUTCOME_BLOCKED');
});

test('a query port is dropped if the port offset of the game leads to a forbidden port', async t => {
  const { resolve, outcomeOf } = await resolving(t);
  const target = await resolve({ host: '1.2.3.4', port: 11210, queryPorts: [11211, 11210] });
  assert.ok('ports' in target);
  assert.deepEqual(target.ports, [11210]);
  assert.equal(
    await outcomeOf({ host: '1.2.3.4', port: 11210, queryPorts: [11211] }),
    'PROBE_OUTCOME_BLOCKED',
  );
});
