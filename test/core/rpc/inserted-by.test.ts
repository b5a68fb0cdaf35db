import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csgo, openedAdmin } from './admin-client.ts';
import { unary } from './answer.ts';

test('ListServers shows who inserted each server, and can filter the servers by the token that inserted them', async t => {
  const { token, client, add, list } = await openedAdmin(t);
  const { id, metadata } = await token();
  await unary(done => client.server.fetchServers(csgo('127.0.0.1:27011', '127.0.0.1:27013'), metadata, done));
  await add(csgo('127.0.0.1:27012', '127.0.0.1:27014'));

  const all = await list({});
  const pairs = all.servers.map(({ server }, i) => [server, all.insertedBy[i]]);
  assert.deepEqual(pairs, [
    ['127.0.0.1:27011', id],
    ['127.0.0.1:27012', 'admin'],
    ['127.0.0.1:27013', id],
    ['127.0.0.1:27014', 'admin'],
  ]);

  const found: string[] = [];
  let pageToken = '';
  do {
    const page = await list({ insertedBy: id, pageSize: 1, pageToken });
    assert.deepEqual(
      page.insertedBy,
      page.servers.map(() => id),
    );
    found.push(...page.servers.map(({ server }) => server));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  assert.deepEqual(found, ['127.0.0.1:27011', '127.0.0.1:27013'], 'a page without servers is not the last');
});
