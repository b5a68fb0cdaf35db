import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { emptyState, encodeState, STATE_KEY } from '../../../../core/store/leveldb/store-state.ts';
import { SCHEMA } from '../../../../core/store/schema.ts';
import { boot } from './booted.ts';
import { contents, copyOf, ended, killed, now, settledCopyOf, whole } from './store-templates.ts';

test('after a stop or a kill, the store contains all data at each of the next three starts of the core', async () => {
  for (const directory of [ended, killed]) {
    const copy = copyOf(directory);
    for (let round = 0; round < 3; round++) {
      const booted = await boot(copy, now);
      assert.equal(await contents(booted), whole);
      assert.deepEqual(booted.corrupt, []);
      await booted.close();
      assert.ok(!readdirSync(copy).some(name => name === 'found' || name === 'opening'));
    }
  }
});

test('a store can be opened after a process was killed while it opened the store', async () => {
  const copy = copyOf(killed);
  for (let round = 0; round < 3; round++) {
    // Copies the directory while the store is only partly opened. The copy contains the same files as the directory
    // after a kill of the process at this moment.
    const engine = await LevelDbStore.open(copy, error => assert.fail(error));
    await engine.reopen();
    const next = settledCopyOf(copy);
    assert.ok(readdirSync(next).includes('opening'));
    await engine.close();
    const booted = await boot(next, now);
    assert.equal(await contents(booted), whole);
    await booted.close();
  }
});

test('opening a store fails if its file gsq.json or its state entry has the format of a later release', async () => {
  for (const by of ['checkpoint', 'state']) {
    const copy = copyOf(ended);
    if (by === 'checkpoint') writeFileSync(join(copy, 'gsq.json'), `{"schema":${SCHEMA + 1},"sequence":1}`);
    else {
      const engine = await LevelDbStore.open(copy, error => assert.fail(error));
      const value = encodeState({ ...emptyState(), schema: SCHEMA + 1, sequence: 1 });
      await engine.commit([{ type: 'put', key: STATE_KEY, value }]);
      await engine.close();
    }
    await assert.rejects(boot(copy, now), {
      name: 'NewerStore',
      message: `the store in ${copy} has format ${SCHEMA + 1}, but the newest format of this release is ${SCHEMA}: run the release that wrote the store, or a later one. No file was changed`,
    });
  }
});
