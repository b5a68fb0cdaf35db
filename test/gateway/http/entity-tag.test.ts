import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesTag, weakTagOf } from '../../../gateway/http/entity-tag.ts';

const tag = weakTagOf(Buffer.from('body'));

test('weakTagOf gives a weak tag that depends on the body', () => {
  assert.match(tag, /^W\/"[\w-]+"$/);
  assert.equal(weakTagOf(Buffer.from('body')), tag);
  assert.notEqual(weakTagOf(Buffer.from('bodz')), tag);
});

test('matchesTag compares If-None-Match weakly, in lists and with *', () => {
  assert.equal(matchesTag(tag, tag), true);
  assert.equal(matchesTag(tag.slice(2), tag), true);
  assert.equal(matchesTag(`"other", ${tag}`, tag), true);
  assert.equal(matchesTag('*', tag), true);
});

test('matchesTag does not match another tag, a missing one or a part of one', () => {
  assert.equal(matchesTag(undefined, tag), false);
  assert.equal(matchesTag('"other"', tag), false);
  assert.equal(matchesTag(tag.slice(3, -1), tag), false);
});
