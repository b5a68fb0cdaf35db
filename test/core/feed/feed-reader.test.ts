import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { type FeedReader, GameReader, KeysReader } from '../../../core/feed/feed-reader.ts';
import { resumedSequence, resumeToken } from '../../../core/feed/resume-token.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { feedOf } from './feed-of.ts';

const server = (port: number, gameId = 'csgo', insertedBy = 'tok_1') =>
  newRecord(gameId, `1.2.3.4:${port}`, insertedBy, 1000, 60_000);
const [a, b, c] = [server(1), server(2), server(3)];
const rust = server(1, 'rust');

const readers: Record<string, (feed: ChangeFeed, since: number, wake?: () => void) => FeedReader> = {
  KeysReader: (feed, since, wake = () => {}) => new KeysReader(feed, [a.key, b.key, c.key], since, wake),
  GameReader: (feed, since, wake = () => {}) => new GameReader(feed, 'csgo', () => true, since, wake),
};

/** Returns a reader of the change feed for a caller who may see only public servers. */
const publicReader = (feed: ChangeFeed, since: number): GameReader =>
  new GameReader(
    feed,
    'csgo',
    ({ isPublic }) => isPublic,
    since,
    () => {},
  );

/**
 * Takes all changes from a reader of the change feed. Returns two values for each change: the last digit of the
 * server's port, and the position of the reader after the change.
 */
function takeAll(reader: FeedReader): [string, number][] {
  const taken: [string, number][] = [];
  for (let key = reader.takeChanged(); key !== undefined; key = reader.takeChanged())
    taken.push([key.slice(-1), reader.sequence]);
  return taken;
}

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

test('a resume token is valid only while its change feed remembers all changes after the position of the token', () => {
  const feed = feedOf(10);
  const token = resumeToken(feed, 0);
  for (let n = 0; n < 10; n++) feed.publishInsert(a);
  assert.equal(resumedSequence(feed, token), 0);
  assert.equal(resumedSequence(feed, resumeToken(feed, 10)), 10);
  assert.equal(resumedSequence(feed, resumeToken(feed, 11)), undefined);
  feed.publishInsert(a);
  assert.equal(resumedSequence(feed, token), undefined);
  assert.equal(resumedSequence(feedOf(), resumeToken(feed, 11)), undefined);
  for (const bad of ['', 'x', `${feed.id}.`, `${feed.id}.-1`, `${feed.id}.1 `, `${'0'.repeat(1e5)}.1`])
    assert.equal(resumedSequence(feed, bad), undefined);
});

test('a resume token becomes invalid when its change feed gets a new id', () => {
  const feed = feedOf();
  const before = resumeToken(feed, 0);
  feed.renewId(false);
  const within = resumeToken(feed, 0);
  assert.deepEqual([resumedSequence(feed, before), resumedSequence(feed, within)], [undefined, undefined]);
  feed.renewId(true);
  assert.deepEqual([resumedSequence(feed, before), resumedSequence(feed, within)], [undefined, undefined]);
  assert.equal(resumedSequence(feed, resumeToken(feed, 0)), 0);
});

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
