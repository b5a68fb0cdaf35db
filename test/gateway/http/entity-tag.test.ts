import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesTag, weakTagOf } from '../../../gateway/http/entity-tag.ts';

const tag = weakTagOf(Buffer.from('body'));

test('weakTagOf returns a weak entity tag that changes with the body', () => {
  assert.match(tag, /^W\/"[\w-]+"$/);
  assert.equal(weakTagOf(Buffer.from('body')), tag);
  assert.notEqual(weakTagOf(Buffer.from('bodz')), tag);
});

test('matchesTag finds the tag in If-None-Match by weak comparison, also in a list, and accepts *', () => {
  assert.equal(matchesTag(tag, tag), true);
  assert.equal(matchesTag(tag.slice(2), tag), true);
  assert.equal(matchesTag(`"other", ${tag}`, tag), true);
  assert.equal(matchesTag('*', tag), true);
});

test('matchesTag returns false for a different entity tag, for a part of the tag, and without the header If-None-Match', () => {
  assert.equal(matchesTag(undefined, tag), false);
  assert.equal(matchesTag('"other"', tag), false);
  assert.equal(matchesTag(tag.slice(3, -1), tag), false);
});
