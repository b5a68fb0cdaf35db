import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Service, SILENT } from '../system/name-server.ts';
import { resolving } from './resolved-target.ts';

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

test('a Minecraft host name is not probed if no name server answers the query for its SRV record', async t => {
  const { outcomeOf } = await resolving(t, { [SRV]: { srv: SILENT }, 'play.test': { a: ['5.6.7.8'] } });
  assert.equal(await outcomeOf(minecraft), 'PROBE_OUTCOME_PROBER_FAULT');
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

test('the server option `query_port` has priority over the query ports of the game and over an SRV record', async t => {
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

test('a probe does not use a forbidden query port, even if the port of the server is allowed', async t => {
  const { resolve, outcomeOf } = await resolving(t);
  const target = await resolve({ host: '1.2.3.4', port: 11210, queryPorts: [11211, 11210] });
  assert.ok('ports' in target);
  assert.deepEqual(target.ports, [11210]);
  assert.equal(
    await outcomeOf({ host: '1.2.3.4', port: 11210, queryPorts: [11211] }),
    'PROBE_OUTCOME_BLOCKED',
  );
});
