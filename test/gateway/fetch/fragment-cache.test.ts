import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import { type Fragment, FragmentCache } from '../../../gateway/fetch/fragment-cache.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const MIB = 1024 * 1024;
const LAST_BLOCK = Buffer.from([0, 0, 0xff, 0xff, 3, 0]);

function assertUnfolds(fragment: Fragment | undefined, json: Buffer): void {
  assert.ok(fragment);
  const deflated = fragment.chunk.subarray(fragment.start, fragment.end);
  assert.deepEqual(inflateRawSync(Buffer.concat([deflated, LAST_BLOCK])), json);
}

const find = (cache: FragmentCache, json: Buffer): Fragment | undefined =>
  cache.find(json, 0, json.length, crc32(json));

describe('kept fragments', () => {
  test('a part is compressed the second time it comes, wherever it lies', () => {
    const cache = new FragmentCache(4 * MIB);
    const json = Buffer.from('{"name":"One"}');
    assert.equal(find(cache, json), undefined);
    assert.equal(cache.bytes, 0);
    const fragment = cache.find(
      Buffer.concat([Buffer.from('ab'), json, json]),
      2,
      2 + json.length,
      crc32(json),
    );
    assertUnfolds(fragment, json);
    assert.equal(find(cache, json), fragment);
  });

  test('two parts with one mark are not taken for each other', () => {
    const cache = new FragmentCache(4 * MIB);
    const one = Buffer.from('{"name":"cjwybbhmqgkl"}');
    const other = Buffer.from('{"name":"fqhzkibauovv"}');
    assert.equal(crc32(one), crc32(other));
    for (let i = 0; i < 3; i++) {
      for (const json of [one, other]) {
        const fragment = find(cache, json);
        if (i > 0) assertUnfolds(fragment, json);
      }
    }
  });

  test('they stay within their room, and what is used stays', () => {
    const random = randomNumbers(7);
    const room = 4 * MIB;
    const cache = new FragmentCache(room);
    const hot = Buffer.from('{"hot":1}');
    find(cache, hot);
    let most = 0;
    for (let i = 0; i < 12_000; i++) {
      const json = Buffer.from(`{"id":${i},"noise":"${'x'.repeat(random(900))}${random(1e9)}"}`);
      find(cache, json);
      assertUnfolds(find(cache, json), json);
      assertUnfolds(find(cache, hot), hot);
      assert.ok(cache.bytes <= room);
      most = Math.max(most, cache.bytes);
    }
    assert.ok(most > room / 2, 'it was filled, and more than once');
  });

  test('small ones take room as well', () => {
    const room = 2 * MIB;
    const cache = new FragmentCache(room);
    const first = Buffer.from('first');
    find(cache, first);
    const kept = find(cache, first);
    for (let i = 0; i < 30_000; i++) {
      const json = Buffer.from(String(i));
      find(cache, json);
      find(cache, json);
      assert.ok(cache.bytes <= room);
    }
    assert.ok(kept);
    assert.notEqual(find(cache, first), kept, 'it was dropped');
  });

  test('what is too large is never kept', () => {
    const cache = new FragmentCache(4 * MIB);
    const large = Buffer.alloc(300 * 1024, 'x');
    for (let i = 0; i < 3; i++) assert.equal(find(cache, large), undefined);
    assert.equal(cache.bytes, 0);
  });
});
