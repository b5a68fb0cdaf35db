import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { ALL_FIELDS, type Transition, VISIBLE } from '../../../core/feed/transition.ts';
import { SearchIndex } from '../../../core/search/search-index.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { until } from '../../system/until.ts';
import { type KnownFields, queryOf, recordWith } from './search-fleet.ts';

function serverAt(i: number, change: Partial<KnownFields> = {}): ServerRecord {
  return recordWith({
    ...{ gameId: 'csgo', address: `10.0.${i >> 8}.${i & 255}:27015`, insertedBy: 'admin', status: 'online' },
    ...{ name: `Server ${i}`, map: 'de_dust2', version: '1', players: i % 50, password: false },
    ...change,
  });
}

/** Returns a change event with the records of a server before and after the change. */
function changeOf(
  before: ServerRecord | undefined,
  after: ServerRecord | undefined,
  fields = ALL_FIELDS,
): Transition {
  return { sequence: 1, key: (after ?? before)?.key ?? '', fields, before, after };
}

const inserted = (after: ServerRecord): Transition => changeOf(undefined, after);
const removed = (before: ServerRecord): Transition => changeOf(before, undefined);

/**
 * Starts a search index over the records that `records` yields. Adds the cause of each failure of the index to
 * `failures`.
 */
function startIndex(t: TestContext, records: () => Iterable<ServerRecord>) {
  const failures: string[] = [];
  const index = new SearchIndex({ records, count: () => 1_000, onFailure: cause => failures.push(cause) });
  // This timer keeps the test process alive, because the worker thread of the index does not. In a core, the open ports
  // keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  t.after(async () => {
    clearInterval(alive);
    await index.close();
  });
  return { index, failures };
}

const isFilled = (index: SearchIndex) => until('the index is filled', () => index.isFilled, Boolean);
const isCore1 = (error: unknown) =>
  error instanceof ServiceError && error.code === 'CORE_1' && (error.details.retryAfterSeconds ?? 0) > 0;

describe('SearchIndex', () => {
  it('refuses searches until all stored servers are loaded, and then finds all of them', async t => {
    let refused: Promise<void> | undefined;
    function* records() {
      for (let i = 0; i < 3_000; i++) yield serverAt(i);
      refused = assert.rejects(index.search(queryOf()), isCore1);
      yield serverAt(3_000);
    }
    const { index, failures } = startIndex(t, records);
    await isFilled(index);
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
    await isFilled(index);
    const { total, keys } = await index.search(queryOf({ playersMin: 999 }));
    assert.deepEqual([...keys], [serverAt(10).key, serverAt(1_900).key]);
    assert.equal(total, 2);
    assert.equal((await index.search(queryOf())).total, 2_000);
  });

  it('applies a change before the next search', async t => {
    const { index } = startIndex(t, () => [serverAt(1)]);
    await isFilled(index);
    index.addChange(inserted(serverAt(2)));
    assert.equal((await index.search(queryOf())).total, 2);
    index.addChange(removed(serverAt(1)));
    assert.deepEqual(await index.count({ gameId: '', scope: 'all' }), [
      { gameId: 'csgo', servers: 1, online: 1, players: 2 },
    ]);
  });

  it('refuses a search if too many searches are already waiting', async t => {
    const { index } = startIndex(t, () => [serverAt(1)]);
    await isFilled(index);
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => index.search(queryOf())));
    const refused = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(refused.length, 8);
    assert.ok(refused.every(isCore1));
    assert.equal((await index.search(queryOf())).total, 1);
  });

  it('loads all servers again from the start if the first attempt to load them fails', async t => {
    let reads = 0;
    function* records() {
      yield serverAt(1);
      if (++reads === 1) throw new Error('damaged');
      yield serverAt(2);
    }
    const { index, failures } = startIndex(t, records);
    await isFilled(index);
    assert.equal((await index.search(queryOf())).total, 2);
    assert.equal(failures[0], 'damaged');
  });

  it('loads the servers again in a new thread if its thread dies', async t => {
    const stored = [serverAt(1)];
    const { index, failures } = startIndex(t, () => stored);
    await isFilled(index);
    stored.push(serverAt(2));
    // Sends an invalid query. It makes the worker thread of the search index fail.
    const lost = index.search({ ...queryOf(), words: undefined } as unknown as ReturnType<typeof queryOf>);
    await assert.rejects(lost, isCore1);
    await isFilled(index);
    assert.equal((await index.search(queryOf())).total, 2);
    assert.equal(failures.length, 1);
  });

  it('finds the servers that addLoaded() has added, but none that removeUnloaded() has removed', async t => {
    const { index, failures } = startIndex(t, () => []);
    await isFilled(index);
    const servers = Array.from({ length: 300 }, (_, i) => serverAt(i));
    await index.addLoaded(servers);
    assert.equal((await index.search(queryOf())).total, 300);
    await index.removeUnloaded(servers.slice(0, 200));
    assert.equal((await index.search(queryOf())).total, 100);
    assert.deepEqual(failures, []);
  });

  it('makes callers wait if they add servers faster than its worker thread can process them', async t => {
    const { index, failures } = startIndex(t, () => []);
    await isFilled(index);
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
    const total = async () => (await index.search(queryOf())).total;
    assert.equal(await until('the thread has applied all servers', total, found => found === 20_000), 20_000);
    assert.deepEqual(failures, []);
  });

  it('drops the waiting changes and loads all servers again if too many changes are waiting', async t => {
    const servers = Array.from({ length: 1_000 }, (_, i) => serverAt(i, { name: 'long name '.repeat(40) }));
    const { index, failures } = startIndex(t, () => servers);
    await isFilled(index);
    // All these changes happen in one turn of the event loop, in which no message of the index thread can arrive.
    for (let round = 0; failures.length === 0; round++) {
      assert.ok(round < 1_000);
      for (const server of servers) index.addChange(changeOf(server, server));
    }
    assert.equal(index.isFilled, false);
    for (const server of servers) index.addChange(changeOf(server, server));
    assert.deepEqual(failures, ['the search fell behind the changes of servers']);
    await isFilled(index);
    assert.equal((await index.search(queryOf())).total, 1_000);
    assert.deepEqual(failures.slice(1), ['the thread of the search ended: exit code 1']);
  });
});
