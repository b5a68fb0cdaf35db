import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { threeCores, until } from './three-cores.ts';

test('PeerProbes (which follows server records on all cores) reports each new record, but no record that the caller already knows', async t => {
  const { world, a, ofA, ofB, ofC, all } = await threeCores(t);
  const got: [string, number][] = [];
  const records = all.flatMap(key => world.truth(key) ?? []);
  const unfollow = a.feed.probesAfter(records).follow(all, ({ key, version }) => got.push([key, version]));
  await until(() => world.reads >= all.length);
  assert.deepEqual(got, []);
  for (const key of all) world.probe(key, 1);
  await until(() => got.length >= all.length);
  assert.deepEqual(got.sort(), all.map((key): [string, number] => [key, 3]).sort());
  unfollow();
  for (const key of [...ofA, ...ofB, ...ofC]) world.probe(key, 1);
  assert.equal(got.length, all.length);
});

test('PeerProbes (which follows server records on all cores) reports the newest record even after a server moved to another core', async t => {
  const { world, a, b, c, ofB, all } = await threeCores(t);
  const newest = new Map<string, ServerRecord>();
  const [key = ''] = ofB;
  const unfollow = a.feed.probesAfter([]).follow(all, record => newest.set(record.key, record));
  const isNewest = (): boolean => all.every(each => newest.get(each)?.version === world.truth(each)?.version);
  await until(isNewest);
  world.move(bucketOfServer(key), c);
  world.probe(key, 4);
  world.update();
  await until(isNewest);
  world.stopStreams(c);
  world.probe(key, 5);
  world.startStreams(c);
  await until(isNewest);
  for (const each of ofB) world.probe(each, 6, false);
  await until(isNewest);
  world.kill(b);
  a.view.update();
  for (const [bucket, owner] of world.owners.entries()) if (!owner) world.move(bucket, a);
  a.view.update();
  await until(isNewest);
  for (const each of all) world.probe(each, 7);
  await until(isNewest);
  unfollow();
});
