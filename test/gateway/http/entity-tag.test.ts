import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesTag, weakTagOf } from '../../../gateway/http/entity-tag.ts';

const tag = weakTagOf(Buffer.from('body'));

test('a tag is weak and follows the body', () => {
  assert.match(tag, /^W\/"[\w-]+"$/);
  assert.equal(weakTagOf(Buffer.from('body')), tag);
  assert.notEqual(weakTagOf(Buffer.from('bodz')), tag);
});

test('If-None-Match is compared weakly, in lists and with *', () => {
  assert.equal(matchesTag(tag, tag), true);
  assert.equal(matchesTag(tag.slice(2), tag), true);
  assert.equal(matchesTag(`"other", ${tag}`, tag), true);
  assert.equal(matchesTag('*', tag), true);
});

test('another tag, none, or a part of one does not match', () => {
  assert.equal(matchesTag(undefined, tag), false);
  assert.equal(matchesTag('"other"', tag), false);
  assert.equal(matchesTag(tag.slice(3, -1), tag), false);
});
