import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../../../core/admission/insert-guard.ts';
import type { ServerGroup } from '../../../core/servers/fetch-request.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { Random } from '../../truth/random.ts';
import { openCluster, openCore } from './cluster-core.ts';
import { KnownFetch } from './known-answer.ts';

const csgo = (...servers: string[]): ServerGroup[] => [{ gameId: 'csgo', servers }];

/**
 * Returns an answer to a fetch as text. Leaves out the times of the next probes, because they depend on the probers.
 */
function textOf(answer: Buffer | undefined, typed: boolean): string | undefined {
  if (!answer) return undefined;
  const json = typed ? JSON.stringify(gsqV1.FetchServersResponse.deserialize(answer)) : answer.toString();
  return json.replaceAll(/"next_probe_at":"[^"]+"/g, '').replaceAll(/"nextProbeAt":{[^}]+}/g, '');
}

test('three cores answer random fetches of tracked and invalid servers with the same bytes as one core', async t => {
  const world = await openCluster(t, 3);
  const { clock } = world.shared;
  const single = await openCore(t, world.shared, undefined);
  const random = new Random(11);
  const addresses = Array.from({ length: 60 }, (_, i) => world.addressOf(i % 3, Math.floor(i / 3)));
  for (const core of [single, world.at(0)]) await core.fetch.fetch(csgo(...addresses), OPERATOR, 0);
  const invalid = ['10.0.0.1:27015', '1.2.3.4', 'nonsense', '_meta'];
  let known = 0;
  for (let round = 0; round < 200; round++) {
    const typed = random.unit() < 0.5;
    const servers = random.some(addresses, Math.floor(random.between(1, 30)));
    if (random.unit() < 0.3) servers.push(...random.some(invalid, 1));
    const half = Math.floor(servers.length / 2);
    const groups = [
      ...csgo(...servers.slice(0, half)),
      { gameId: random.unit() < 0.2 ? 'nope' : 'oldcsgo', servers: servers.slice(half) },
    ];
    const [entry] = random.some(world.cores, 1);
    assert.ok(entry);
    const expected = textOf(await new KnownFetch(single, groups, typed).answer(), typed);
    const answer = textOf(await new KnownFetch(entry, groups, typed).answer(), typed);
    assert.equal(answer, expected, JSON.stringify({ round, groups }));
    if (answer !== undefined) known++;
    clock.at += random.unit() < 0.1 ? 700_000 : 60_000;
    const [changed = ''] = random.some(addresses, 1);
    const key = `csgo ${changed}`;
    if (random.unit() < 0.5) assert.equal(world.ownerOf(key).answer(key), single.answer(key));
  }
  assert.equal(known, 200);
});

test('the answer to a fetch contains the newest record of a server that another core owns', async t => {
  const world = await openCluster(t, 2);
  const address = world.addressOf(1);
  await world.at(0).fetch.fetch(csgo(address), 'tok_1', 0);
  const fetch = new KnownFetch(world.at(0), csgo(address));
  for (let i = 0; i < 3; i++) assert.match(String(await fetch.answer()), /"status":"pending"/);
  assert.ok(world.at(1).answer(`csgo ${address}`));
  assert.match(String(await fetch.answer()), /"status":"online"/);
});

test('KnownFetch (the fast path of a fetch) returns no answer if one of the requested servers is not tracked', async t => {
  const world = await openCluster(t, 3);
  const [known, unknown] = [world.addressOf(1), world.addressOf(1, 1)];
  await world.at(0).fetch.fetch(csgo(known), 'tok_1', 0);
  assert.equal(await new KnownFetch(world.at(0), csgo(known, unknown)).answer(), undefined);
  const fetch = new KnownFetch(world.at(0), csgo(known));
  assert.ok(await fetch.answer());
  await world.move(`csgo ${known}`, 2);
  // The test has moved the server from core 1 to core 2, but core 0 has not noticed this yet.
  assert.equal(await fetch.answer(), undefined);
  world.cluster.tellAll();
  assert.ok(await fetch.answer());
  const answers = fetch.ask();
  await answers?.received();
  await world.move(`csgo ${known}`, 0);
  world.cluster.tellAll();
  assert.ok(fetch.write(answers), 'a server that this core owns by now is in its store');
});

test('KnownFetch (the fast path of a fetch) writes no answer if a server has moved to another core since the request', async t => {
  const world = await openCluster(t, 2);
  const [own, other] = [world.addressOf(0), world.addressOf(1)];
  await world.at(0).fetch.fetch(csgo(own, other), 'tok_1', 0);
  const fetch = new KnownFetch(world.at(0), csgo(own, other));
  const answers = fetch.ask();
  await answers?.received();
  assert.ok(fetch.write(answers));
  await world.move(`csgo ${own}`, 1);
  assert.equal(fetch.write(answers), undefined);
});

test('a fetch that needs data from another core counts each invalid address only once', async t => {
  const world = await openCluster(t, 2);
  const entry = world.at(0);
  await entry.fetch.fetch(csgo(world.addressOf(1)), 'tok_1', 0);
  assert.ok(await new KnownFetch(entry, csgo(world.addressOf(1), '10.0.0.1:27015')).answer());
  assert.equal(entry.fetch.invalid.blocked_address, 1);
  assert.equal(entry.fetch.knownInvalid, 1);
});
