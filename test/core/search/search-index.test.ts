import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryOf } from './search-fleet.ts';
import { changeOf, inserted, isCore1, removed, serverAt, startIndex, untilFilled } from './started-index.ts';

describe('SearchIndex', () => {
  it('applies a change before the next search', async t => {
    const { index } = startIndex(t, () => [serverAt(1)]);
    await untilFilled(index);
    index.addChange(inserted(serverAt(2)));
    assert.equal((await index.search(queryOf())).total, 2);
    index.addChange(removed(serverAt(1)));
    assert.deepEqual(await index.count({ gameId: '', scope: 'all' }), [
      { gameId: 'csgo', servers: 1, online: 1, players: 2 },
    ]);
  });

  it('refuses a search if too many searches are already waiting', async t => {
    const { index } = startIndex(t, () => [serverAt(1)]);
    await untilFilled(index);
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => index.search(queryOf())));
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(refused.length, 8);
    assert.ok(refused.every(isCore1));
    assert.equal((await index.search(queryOf())).total, 1);
  });

  it('finds the servers that addLoaded() has added, but none that removeUnloaded() has removed', async t => {
    const { index, failures } = startIndex(t, () => []);
    await untilFilled(index);
    const servers = Array.from({ length: 300 }, (_, i) => serverAt(i));
    await index.addLoaded(servers);
    assert.equal((await index.search(queryOf())).total, 300);
    await index.removeUnloaded(servers.slice(0, 200));
    assert.equal((await index.search(queryOf())).total, 100);
    assert.deepEqual(failures, []);
  });

  it('makes callers wait if they add servers faster than its worker thread can process them', async t => {
    const { index, failures } = startIndex(t, () => []);
    await untilFilled(index);
    const name = 'x'.repeat(1_000);
    let waits = 0;
    for (let from = 0; from < 20_000; from += 500) {
      const servers = Array.from({ length: 500 }, (_, i) =>
        serverAt(0, { name, address: `10.1.0.1:${from + i + 1}` }),
      );
      const wait = index.addLoaded(servers);
      if (wait) waits++;
      await wait;
    }
    assert.ok(waits > 0);
    await index.sentAll();
    assert.equal((await index.search(queryOf())).total, 20_000);
    assert.deepEqual(failures, []);
  });

  it('drops the waiting changes and loads all servers again if too many changes are waiting', async t => {
    const servers = Array.from({ length: 1_000 }, (_, i) => serverAt(i, { name: 'long name '.repeat(40) }));
    const { index, failures } = startIndex(t, () => servers);
    await untilFilled(index);
    // All these changes happen in one turn of the event loop, in which no message of the index thread can arrive.
    for (let round = 0; failures.length === 0; round++) {
      assert.ok(round < 1_000);
      for (const server of servers) index.addChange(changeOf(server, server));
    }
    assert.equal(index.isFilled, false);
    for (const server of servers) index.addChange(changeOf(server, server));
    assert.deepEqual(failures, ['the search fell behind the changes of servers']);
    await untilFilled(index);
    assert.equal((await index.search(queryOf())).total, 1_000);
    assert.deepEqual(failures.slice(1), ['the thread of the search ended: exit code 1']);
  });
});
