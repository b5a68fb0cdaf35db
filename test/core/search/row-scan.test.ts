import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangeBatch, readChanges } from '../../../core/search/change-batch.ts';
import { countRows, searchRows } from '../../../core/search/row-scan.ts';
import { type Scope, type SearchQuery, sorts } from '../../../core/search/search-query.ts';
import { ServerRows } from '../../../core/search/server-rows.ts';
import { PAGE_BYTES } from '../../../core/search/text-pages.ts';
import { serverKey } from '../../../core/servers/server-record.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { Fleet, GAMES } from './random-fleet.ts';
import { isInScope, naiveSearch, queryOf, recordWith, walkPages } from './search-fleet.ts';

describe('the server search', () => {
  it('finds the same servers, in the same order, as a naive search', () => {
    let found = 0;
    for (let seed = 1; seed <= 3; seed++) {
      const fleet = new Fleet(randomNumbers(seed));
      for (let round = 0; round < 15; round++) {
        for (let i = 0; i < 100; i++) fleet.change();
        fleet.apply();
        for (let i = 0; i < 12; i++) {
          // Every second query contains only search words. The other queries combine several random conditions, and
          // therefore find only few servers.
          const query =
            i % 2 === 0 ? fleet.query() : queryOf({ words: fleet.query().words, sort: fleet.pick(sorts) });
          const wanted = naiveSearch(fleet.servers.values(), query);
          const search = (page: SearchQuery) => searchRows(fleet.rows, page);
          assert.deepEqual(walkPages(query, search), wanted, JSON.stringify(query));
          assert.equal(search(query).total, wanted.length);
          found += wanted.length;
        }
      }
      assert.equal(fleet.rows.size, fleet.servers.size);
    }
    assert.ok(found > 10_000, `${found} servers found in all`);
  });

  it('finds the next page even if the last server of the previous page was removed', () => {
    const rows = new ServerRows(0);
    const batch = new ChangeBatch();
    const known = (gameId: string, address: string) =>
      recordWith({
        ...{ gameId, address, insertedBy: 'admin', status: 'online', name: 'n', map: 'm', version: '' },
        ...{ players: 1, password: false },
      });
    for (const game of ['css', 'rust']) batch.addServer(known(game, '10.0.0.1:27015'));
    readChanges(batch.takeBytes(), rows);
    for (const sort of sorts) {
      const after = { players: 1, words: 'n', gameId: 'garrysmod', address: '10.0.0.1:27015' };
      const { keys, total } = searchRows(rows, queryOf({ sort, after }));
      assert.deepEqual([keys, total], [[serverKey('rust', '10.0.0.1:27015')], 2], sort);
    }
  });

  it('finds a server by its whole name of 130 Chinese characters', () => {
    // The search cuts a long query to a maximum number of bytes. A Chinese character and the space after it take four
    // bytes. The test puts different prefixes before the characters, so that the cut falls on each of these four bytes.
    for (const prefix of ['', 'a', 'cn ', 'cn1 ', 'cn12 ']) {
      const rows = new ServerRows(0);
      const batch = new ChangeBatch();
      const name = prefix + '服'.repeat(130);
      batch.addServer(
        recordWith({
          ...{ gameId: 'css', address: '10.0.0.1:27015', insertedBy: 'admin', status: 'online', name },
          ...{ map: 'm', version: '', players: 1, password: false },
        }),
      );
      readChanges(batch.takeBytes(), rows);
      assert.equal(searchRows(rows, queryOf({ words: name })).total, 1, prefix);
    }
  });

  it('shows each server exactly once over all pages, even if other servers change between the pages', () => {
    for (const sort of sorts) {
      const random = randomNumbers(sorts.indexOf(sort) + 10);
      const fleet = new Fleet(random);
      for (let i = 0; i < 500; i++) fleet.change();
      fleet.apply();
      const kept = new Map(
        [...fleet.servers].filter((_, i) => i % 2 === 0).map(([key, server]) => [key, { ...server }]),
      );
      const keys = walkPages(queryOf({ sort, limit: 7 }), query => {
        const page = searchRows(fleet.rows, query);
        for (let i = 0; i < 30; i++) fleet.change();
        // `fleet.change()` changes random servers. The test restores the servers in `kept`, because they must stay the
        // same until the test has read all pages.
        for (const [key, server] of kept) fleet.servers.set(key, { ...server });
        fleet.apply();
        const batch = new ChangeBatch();
        for (const server of kept.values()) batch.addServer(recordWith(server));
        readChanges(batch.takeBytes(), fleet.rows);
        return page;
      });
      const wanted = naiveSearch(kept.values(), queryOf({ sort }));
      assert.deepEqual(
        keys.filter(key => kept.has(key)),
        wanted,
      );
    }
  });

  it('counts the servers, the online servers and the players of each game', () => {
    const fleet = new Fleet(randomNumbers(7));
    for (let i = 0; i < 800; i++) fleet.change();
    fleet.apply();
    const scopes: Scope[] = ['all', 'public', { insertedBy: 't1' }, { insertedBy: 'unknown' }];
    for (const scope of scopes) {
      const mine = [...fleet.servers.values()].filter(server => isInScope(server, scope));
      const counts = GAMES.map(gameId => {
        const servers = mine.filter(server => server.gameId === gameId);
        const online = servers.filter(({ status }) => status === 'online');
        const players = online.reduce((sum, server) => sum + (server.players ?? 0), 0);
        return { gameId, servers: servers.length, online: online.length, players };
      }).filter(({ servers }) => servers > 0);
      const byGame = (a: { gameId: string }, b: { gameId: string }) => (a.gameId < b.gameId ? -1 : 1);
      assert.deepEqual(countRows(fleet.rows, { gameId: '', scope }).sort(byGame), counts);
      assert.deepEqual(
        countRows(fleet.rows, { gameId: 'css', scope }),
        counts.filter(({ gameId }) => gameId === 'css'),
      );
    }
  });

  it('needs at most 60 bytes per server, plus the bytes of its name, map, version and address', () => {
    const rows = new ServerRows(0);
    const batch = new ChangeBatch();
    const name = 'zombie escape europe friendly fun';
    const server = {
      gameId: 'csgo',
      insertedBy: 'admin',
      name,
      map: 'de_dust2',
      version: '1.38',
      players: 1,
    };
    for (let i = 0; i < 20_000; i++) {
      const address = `198.51.${100 + (i >> 8)}.${i & 255}:27015`;
      batch.addServer(recordWith({ ...server, address, status: 'online', password: false }));
    }
    readChanges(batch.takeBytes(), rows);
    assert.equal(rows.size, 20_000);
    const texts = name.length + 'de_dust2'.length + '1.38'.length + '198.51.100.100:27015'.length;
    const bytes = rows.bytes / rows.size;
    assert.ok(bytes <= texts + 60, `${bytes} bytes a server, ${texts} of them for its texts`);
  });

  it('uses no additional memory after 2000 requests for different result pages', () => {
    const fleet = new Fleet(randomNumbers(4));
    for (let i = 0; i < 100; i++) fleet.change();
    fleet.apply();
    const { bytes } = fleet.rows;
    const address = `${'ä'.repeat(250)}:27015`;
    for (let i = 0; i < 2_000; i++) {
      const after = { players: 1, words: 'x'.repeat(500), gameId: `game ${i}`, address };
      searchRows(fleet.rows, queryOf({ after }));
    }
    assert.equal(fleet.rows.bytes, bytes);
  });

  it('reuses the memory of replaced server names', () => {
    const rows = new ServerRows(0);
    const batch = new ChangeBatch();
    const server = recordWith({
      ...{ gameId: 'csgo', address: '10.0.0.1:27015', insertedBy: 'admin', status: 'online' },
      ...{ name: 'x'.repeat(250), map: 'm', version: '', players: 1, password: false },
    });
    for (let i = 0; i < 16_000; i++) batch.addServer(server);
    readChanges(batch.takeBytes(), rows);
    assert.equal(rows.size, 1);
    assert.ok(rows.texts.bytes <= 4 * PAGE_BYTES, `${rows.texts.bytes} bytes`);
    assert.equal(searchRows(rows, queryOf({ words: 'xxx' })).total, 1);
  });
});
