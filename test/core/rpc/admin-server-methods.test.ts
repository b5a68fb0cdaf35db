import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csgo, openedAdmin } from './admin-client.ts';
import { failure } from './answer.ts';

test('AddServers inserts only the valid servers of a request, and stores `admin` as their inserter', async t => {
  const { add, store } = await openedAdmin(t);
  const { meta } = await add(csgo('1.2.3.4:27015', '10.0.0.1:27015'));
  assert.equal(meta?.autoInserted, 1);
  assert.deepEqual(meta?.insertedServers, [{ gameId: 'csgo', server: '1.2.3.4:27015' }]);
  assert.deepEqual(
    meta?.invalidServers.map(({ server, reason }) => [server, reason]),
    [['10.0.0.1:27015', 'blocked_address']],
  );
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0]?.insertedBy, 'admin');
});

test('CheckServers returns the same reply as AddServers, but inserts no server', async t => {
  const { add, check, store } = await openedAdmin(t);
  await add(csgo('1.2.3.4:27015'));
  await store.insertIfAbsent([{ gameId: 'csgo', address: '4.3.2.1:27015', insertedBy: 'a-token' }]);
  const request = {
    servers: [
      {
        gameId: 'csgo',
        servers: ['1.2.3.4:27015', '4.3.2.1:27015', '5.6.7.8:27015', '[::ffff:5.6.7.8]:27015'],
      },
      { gameId: 'csgo', servers: ['10.0.0.1:27015', 'nonsense', 'gone.invalid:27015', 'localhost:27015'] },
      { gameId: 'nope', servers: ['5.6.7.8:27015'] },
    ],
  };
  const { meta: checked } = await check(request);
  assert.equal(store.stats().tracked, 2);
  assert.equal(store.getMany(['csgo 4.3.2.1:27015'])[0]?.insertedBy, 'a-token');
  assert.deepEqual(
    checked?.insertedServers.map(({ server }) => server),
    ['4.3.2.1:27015', '5.6.7.8:27015', 'localhost:27015'],
  );
  assert.deepEqual(
    checked?.invalidServers.map(({ server, reason }) => [server, reason]),
    [
      ['10.0.0.1:27015', 'blocked_address'],
      ['nonsense', 'malformed_address'],
      ['gone.invalid:27015', 'unresolvable_host'],
      ['5.6.7.8:27015', 'unknown_game'],
    ],
  );
  assert.deepEqual((await add(request)).meta, checked);
});

test('RemoveServers accepts game aliases and every form of an address, and returns only servers that were tracked', async t => {
  const { add, remove, store } = await openedAdmin(t);
  await add(csgo('1.2.3.4:27015', '5.6.7.8:27015', '9.9.9.9:27015'));
  const { removed } = await remove({
    servers: [
      { gameId: 'oldcsgo', servers: ['[::ffff:1.2.3.4]:27015'] },
      { gameId: 'csgo', servers: ['5.6.7.8:27015', '5.6.7.8:1'] },
      { gameId: 'css', servers: ['9.9.9.9:27015'] },
    ],
  });
  assert.deepEqual(removed, [
    { gameId: 'oldcsgo', server: '[::ffff:1.2.3.4]:27015' },
    { gameId: 'csgo', server: '5.6.7.8:27015' },
  ]);
  assert.equal(store.stats().tracked, 1);
});

test('if a request contains an unknown game or a malformed address, RemoveServers refuses it and removes nothing', async t => {
  const { add, admin, store } = await openedAdmin(t);
  await add(csgo('1.2.3.4:27015'));
  const fine = { gameId: 'csgo', servers: ['1.2.3.4:27015'] };
  for (const bad of [
    { gameId: 'nope', servers: ['9.9.9.9:27015'] },
    { gameId: 'csgo', servers: ['nonsense'] },
  ]) {
    assert.equal(
      (await failure(done => admin.removeServers({ servers: [fine, bad] }, done))).ours?.code,
      'ADMIN_1',
    );
  }
  assert.equal((await failure(done => admin.listServers({ gameId: 'nope' }, done))).ours?.code, 'ADMIN_1');
  assert.equal(store.stats().tracked, 1);
});

test('servers of a game that is no longer in the catalog can be listed and removed under the old game id', async t => {
  const { list, remove, store } = await openedAdmin(t);
  await store.insertIfAbsent([{ gameId: 'lost', address: '1.2.3.4:2000', insertedBy: 'admin' }]);
  assert.equal((await list({ gameId: 'lost' })).servers.length, 1);
  await remove({ servers: [{ gameId: 'lost', servers: ['1.2.3.4:2000'] }] });
  assert.equal(store.stats().tracked, 0);
});

test('ListServers returns the servers of all games or of one game in pages, and accepts the alias of a game', async t => {
  const { list, store } = await openedAdmin(t);
  const insertedBy = 'admin';
  await store.insertIfAbsent([
    ...Array.from({ length: 5 }, (_, i) => ({ gameId: 'csgo', address: `1.2.3.4:${2000 + i}`, insertedBy })),
    { gameId: 'css', address: '1.2.3.4:2000', insertedBy },
  ]);
  const pagesOf = async (gameId: string, pageSize: number): Promise<string[][]> => {
    const pages: string[][] = [];
    let pageToken = '';
    do {
      const page = await list({ gameId, pageSize, pageToken });
      pages.push(page.servers.map(({ gameId: game, server }) => `${game} ${server.slice(-4)}`));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    return pages;
  };
  const all = [2000, 2001, 2002, 2003, 2004].map(port => `csgo ${port}`);
  assert.deepEqual(await pagesOf('', 4), [all.slice(0, 4), [...all.slice(4), 'css 2000']]);
  assert.deepEqual(await pagesOf('csgo', 3), [all.slice(0, 3), all.slice(3)]);
  assert.deepEqual(await pagesOf('oldcsgo', 0), [all]);
  assert.deepEqual((await pagesOf('', 4_000_000_000)).length, 1);
});

test('ListServers returns the status and the payload of a server', async t => {
  const { list, track, joinProber, store } = await openedAdmin(t);
  await track('1.2.3.4:27015');
  joinProber('Fragtown');
  while (store.stats().online === 0) await new Promise(setImmediate);
  const [server] = (await list({})).servers;
  assert.deepEqual(
    [server?.updater?.status, server?.payload?.name, server?.message],
    ['SERVER_STATUS_ONLINE', 'Fragtown', ''],
  );
});
