import assert from 'node:assert/strict';
import { test } from 'node:test';
import { feedOf } from './feed-of.ts';
import { a, b, c, readers, rust, takeAll } from './feed-readers.ts';

for (const [name, readerOf] of Object.entries(readers)) {
  test(`a change feed reader (${name}) that reads after each change gets every change of the servers that it follows, in order`, () => {
    const feed = feedOf();
    let woken = 0;
    const reader = readerOf(feed, 0, () => woken++);
    const taken: [string, number][] = [];
    for (const changed of [a, rust, b, a, rust, c]) {
      feed.publishInsert(changed);
      taken.push(...takeAll(reader));
    }
    assert.deepEqual(taken, [
      ['1', 1],
      ['2', 3],
      ['1', 4],
      ['3', 6],
    ]);
    assert.equal(woken, 4);
    feed.publishInsert(rust);
    assert.equal(reader.sequence, 7);
    reader.close();
    feed.publishInsert(a);
    assert.deepEqual([takeAll(reader), woken], [[], 4]);
  });

  test(`a change feed reader (${name}) that reads after several changes gets only the newest change of each server`, () => {
    const feed = feedOf();
    const reader = readerOf(feed, 0);
    for (const changed of [a, b, rust, a, c, b]) feed.publishInsert(changed);
    assert.equal(reader.sequence, 0);
    assert.deepEqual(takeAll(reader), [
      ['1', 4],
      ['3', 5],
      ['2', 6],
    ]);
    assert.deepEqual(takeAll(reader), []);
  });

  test(`a change feed reader (${name}) that starts after a given change gets only the later changes`, () => {
    const feed = feedOf();
    for (const changed of [a, b, c, rust, a]) feed.publishInsert(changed);
    const reader = readerOf(feed, 2);
    feed.publishInsert(b);
    assert.deepEqual(
      takeAll(reader).map(([port]) => port),
      ['3', '1', '2'],
    );
  });

  test(`after 5,000 changes of other servers, a change feed reader (${name}) still gets the next change of a server that it follows`, () => {
    const feed = feedOf();
    const reader = readerOf(feed, 0);
    for (let n = 0; n < 5_000; n++) feed.publishInsert(rust);
    assert.equal(reader.sequence, 5_000);
    feed.publishInsert(a);
    assert.equal(reader.sequence, 5_000);
    assert.equal(reader.isLost, false);
    assert.deepEqual(takeAll(reader), [['1', 5_001]]);
  });
}

test('restartGames() makes the readers of a whole game restart with a snapshot, but not the readers of single servers', () => {
  const feed = feedOf();
  let woken = 0;
  const [keys, game] = Object.values(readers).map(readerOf => readerOf(feed, 0, () => woken++));
  feed.restartGames();
  assert.deepEqual([keys?.mustRestart, game?.mustRestart, woken], [false, true, 1]);
});

test('publishUntracked() reports a change to each reader that follows the untracked server', () => {
  const feed = feedOf();
  const reader = readers.KeysReader?.(feed, 0);
  assert.ok(reader);
  feed.publishUntracked(b.key);
  assert.deepEqual(takeAll(reader), [['2', 1]]);
});
