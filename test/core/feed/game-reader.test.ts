import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { GameReader } from '../../../core/feed/feed-reader.ts';
import { feedOf } from './feed-of.ts';
import { a, b, c, readers, rust, server, takeAll } from './feed-readers.ts';

/** Returns a reader of the change feed for a caller who may see only public servers. */
const publicReader = (feed: ChangeFeed, since: number): GameReader =>
  new GameReader(
    feed,
    'csgo',
    ({ isPublic }) => isPublic,
    since,
    () => {},
  );

test('a GameReader (reads the changes of all servers of a game) sets isLost when the change feed forgets an unread change', () => {
  const feed = feedOf(10);
  const reader = readers.GameReader?.(feed, 0);
  assert.ok(reader);
  for (let n = 0; n < 10; n++) feed.publishInsert(rust);
  feed.publishInsert(a);
  for (let n = 0; n < 9; n++) feed.publishInsert(rust);
  assert.equal(reader.isLost, false);
  feed.publishInsert(rust);
  assert.equal(reader.isLost, true);
  assert.equal(reader.takeChanged(), undefined);
});

test('a GameReader (reads the changes of all servers of a game) skips servers that are hidden from its caller', () => {
  const feed = feedOf();
  const reader = new GameReader(
    feed,
    'csgo',
    ({ insertedBy }) => insertedBy === 'tok_2',
    0,
    () => {},
  );
  for (const changed of [a, server(7, 'csgo', 'tok_2'), b]) feed.publishInsert(changed);
  assert.deepEqual(takeAll(reader), [['7', 2]]);
});

test('a GameReader of public servers gets the change that hides or removes a server, but no later change of this server', () => {
  const feed = feedOf();
  const reader = publicReader(feed, 0);
  feed.publishListing({ ...a, isPublic: true }, a);
  feed.publishRemoval({ ...b, isPublic: true });
  feed.publishRemoval(c);
  assert.deepEqual(takeAll(reader), [
    ['1', 1],
    ['2', 2],
  ]);
  for (const hidden of [b, a]) feed.publishInsert(hidden);
  assert.deepEqual(takeAll(reader), []);
  // A new reader resumes after change 1, and gets only the newest change of each server. Change 2 removed the public
  // server `b`, so the reader must report `b`, although the newest change of `b` concerns a hidden server. The reader
  // also reports `a`, although change 1 already hid `a`. This repetition is allowed.
  assert.deepEqual(takeAll(publicReader(feed, 1)), [
    ['2', 4],
    ['1', 5],
  ]);
});

test('a GameReader that resumes reports every unread server, even a server that was hidden and then removed', () => {
  const feed = feedOf();
  const reader = publicReader(feed, 0);
  for (const server of [a, b]) feed.publishListing({ ...server, isPublic: true }, server);
  for (const server of [a, b]) feed.publishRemoval(server);
  assert.equal(reader.takeChanged(), a.key);
  assert.equal(publicReader(feed, reader.sequence).takeChanged(), b.key);
});
