import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VISIBLE } from '../../../core/feed/transition.ts';
import { queryOf } from './search-fleet.ts';
import { changeOf, inserted, isCore1, removed, serverAt, startIndex, untilFilled } from './started-index.ts';

describe('SearchIndex', () => {
  it('refuses searches until all stored servers are loaded, and then finds all of them', async t => {
    let refused: Promise<void> | undefined;
    function* records() {
      for (let i = 0; i < 3_000; i++) yield serverAt(i);
      refused = assert.rejects(index.search(queryOf()), isCore1);
      yield serverAt(3_000);
    }
    const { index, failures } = startIndex(t, records);
    await untilFilled(index);
    await refused;
    assert.ok(refused);
    assert.equal((await index.search(queryOf())).total, 3_001);
    assert.deepEqual(failures, []);
  });

  it('applies each change that arrives while the index loads the servers from the store', async t => {
    const stored = new Map(Array.from({ length: 2_000 }, (_, i) => [i, serverAt(i)]));
    function* records() {
      for (const [i, server] of stored) {
        if (i === 1_000) {
          // Changes two servers: one that the index has already read from the store, and one that it has not read yet.
          for (const changed of [10, 1_900]) {
            const after = serverAt(changed, { players: 999 });
            index.addChange(changeOf(stored.get(changed), after, VISIBLE.players));
            stored.set(changed, after);
          }
          index.addChange(removed(serverAt(20)));
          index.addChange(inserted(serverAt(5_000)));
        }
        yield server;
      }
    }
    const { index } = startIndex(t, records);
    await untilFilled(index);
    const { total, keys } = await index.search(queryOf({ playersMin: 999 }));
    assert.deepEqual([...keys], [serverAt(10).key, serverAt(1_900).key]);
    assert.equal(total, 2);
    assert.equal((await index.search(queryOf())).total, 2_000);
  });

  it('loads all servers again from the start if the first attempt to load them fails', async t => {
    let reads = 0;
    function* records() {
      yield serverAt(1);
      if (++reads === 1) throw new Error('damaged');
      yield serverAt(2);
    }
    const { index, failures } = startIndex(t, records);
    await untilFilled(index);
    assert.equal((await index.search(queryOf())).total, 2);
    assert.equal(failures[0], 'damaged');
  });

  it('loads the servers again in a new thread if its thread dies', async t => {
    const stored = [serverAt(1)];
    const { index, failures } = startIndex(t, () => stored);
    await untilFilled(index);
    stored.push(serverAt(2));
    // Sends an invalid query. It makes the worker thread of the search index fail.
    const lost = index.search({ ...queryOf(), words: undefined } as unknown as ReturnType<typeof queryOf>);
    await assert.rejects(lost, isCore1);
    await untilFilled(index);
    assert.equal((await index.search(queryOf())).total, 2);
    assert.equal(failures.length, 1);
  });
});
