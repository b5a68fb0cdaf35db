import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumedSequence, resumeToken } from '../../../core/feed/resume-token.ts';
import { feedOf } from './feed-of.ts';
import { a } from './feed-readers.ts';

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
