import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddServersRequest } from '../../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { Lease } from '../../../proto/generated/gsq/v1/Lease.ts';
import { keepSecret } from '../../system/transcript.ts';
import { csgo, openedAdmin } from './admin-client.ts';
import { failure } from './answer.ts';

const palworld = (access: AddServersRequest['access'], ...servers: string[]): AddServersRequest => ({
  servers: [{ gameId: 'palworld', servers }],
  access: access ?? null,
});

test('AddServers stores a secret and options and sends them to the prober, but its reply never contains the secret', async t => {
  const { add, list, credentials, dispatcher, store } = await openedAdmin(t);
  const leases: Lease[] = [];
  dispatcher.join({ prober: 'p', announced: 10, capacity: 10, send: sent => leases.push(...sent) > 0 });
  const access = { secret: 'a secret of this test', options: [{ name: 'username', value: 'ann' }] };
  const added = await add(palworld(access, '1.2.3.4:8212', '10.0.0.1:8212'));
  assert.deepEqual([added.meta?.autoInserted, credentials.size], [1, 1]);
  while (leases.length === 0) await new Promise(setImmediate);
  const [{ secret, options } = {}] = leases;
  assert.deepEqual({ secret, options }, access, 'the first lease has them');
  await add(csgo('1.2.3.4:27015'));
  const answer = await list({});
  assert.deepEqual(answer.access, [
    { gameId: 'palworld', server: '1.2.3.4:8212', hasSecret: true, options: ['username'] },
  ]);
  assert.ok(!/a secret of this test|"ann"/.test(JSON.stringify([added, answer])));
  await store.remove(['palworld 1.2.3.4:8212']);
  assert.deepEqual([credentials.size, (await list({})).access], [0, []]);
});

test('if a tracked server gets a secret, the server is probed with this secret immediately', async t => {
  const { add, dispatcher, clock, joinProber, store } = await openedAdmin(t);
  await add(palworld(null, '1.2.3.4:8212'));
  const leave = joinProber();
  while (store.stats().online === 0) await new Promise(setImmediate);
  leave();
  clock.at += 1_000;
  const leases: Lease[] = [];
  dispatcher.join({ prober: 'p', announced: 10, capacity: 10, send: sent => leases.push(...sent) > 0 });
  await add(palworld({ secret: 'a secret of this test' }, '1.2.3.4:8212'));
  while (leases.length === 0) await new Promise(setImmediate);
  assert.equal(leases[0]?.secret, 'a secret of this test');
});

test('AddServers can change the secret and the options of a tracked server separately', async t => {
  const { add, credentials } = await openedAdmin(t);
  const stored = () => credentials.get('palworld 1.2.3.4:8212');
  const change = (access: AddServersRequest['access']) => add(palworld(access, '1.2.3.4:8212'));
  await change(null);
  assert.equal(stored(), undefined);
  await change({ secret: 'one' });
  await change({ options: [{ name: 'query_port', value: '8300' }] });
  await change({});
  assert.deepEqual(stored(), { secret: 'one', options: new Map([['query_port', '8300']]) });
  await change({ secret: 'two', options: [{ name: 'query_port', value: '' }] });
  assert.deepEqual(stored(), { secret: 'two', options: new Map() });
  await change({ clearSecret: true });
  assert.equal(stored(), undefined);
});

test('AddServers answers ADMIN_1 and adds nothing if a secret or an option is invalid for the game', async t => {
  const { admin, credentials, store } = await openedAdmin(t);
  const secret = 'a secret of this test';
  keepSecret(secret);
  const many = Array.from({ length: 17 }, () => ({ name: 'username', value: 'ann' }));
  const refused: [AddServersRequest, RegExp][] = [
    [{ ...csgo('1.2.3.4:27015'), access: { secret } }, /csgo: servers of this game take no secret/],
    [palworld({ secret: `${secret}\n` }, '1.2.3.4:8212'), /palworld: the secret has line ends/],
    [palworld({ secret: secret.repeat(200) }, '1.2.3.4:8212'), /more than 4096 bytes/],
    [palworld({ secret, clearSecret: true }, '1.2.3.4:8212'), /set and forgotten at once/],
    [palworld({ options: [{ name: 'guild', value: '1' }] }, '1.2.3.4:8212'), /no option "guild"/],
    [palworld({ options: [{ name: 'query_port', value: '22' }] }, '1.2.3.4:8212'), /query_port must be/],
    [palworld({ options: many }, '1.2.3.4:8212'), /17 options; at most 16/],
  ];
  for (const [request, message] of refused) {
    const { ours, details } = await failure(done => admin.addServers(request, done));
    assert.equal(ours?.code, 'ADMIN_1');
    assert.match(details, message);
    assert.ok(!details.includes(secret));
  }
  assert.deepEqual([store.stats().tracked, credentials.size], [0, 0]);
});
