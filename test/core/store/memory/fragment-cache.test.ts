import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryFragmentCache } from '../../../../core/store/memory/fragment-cache.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';

/** Number of entries of the cache. Servers whose indexes differ by a multiple of this number share an entry. */
const APART = 1 << 17;
/** Size in bytes of the length field that the ring buffer stores before each cached byte string. */
const LENGTH_BYTES = 4;

/** Returns the cached bytes of the server with the index `slot`, as a string with one character per byte. */
function found(cache: MemoryFragmentCache, slot: number): string | undefined {
  return cache.findFragment(slot) ? cache.bytes.toString('latin1', cache.start, cache.end) : undefined;
}

function keep(cache: MemoryFragmentCache, slot: number, part: string): void {
  cache.addFragment(slot, Buffer.from(part, 'latin1'));
  assert.equal(cache.findFragment(slot), true);
}

describe('the fragment cache (one answer part per server)', () => {
  test('recognises with isReadAgain() whether a server was read before', () => {
    const cache = new MemoryFragmentCache(64);
    for (const slot of [0, 1, APART - 1, APART, 2 ** 31 - 1]) {
      assert.equal(cache.findFragment(slot), false);
      assert.equal(cache.isReadAgain(slot), false);
      assert.equal(cache.isReadAgain(slot), true);
      assert.equal(cache.findFragment(slot), false, 'asking keeps nothing');
    }
  });

  test('finds the newest fragment of each server', () => {
    const cache = new MemoryFragmentCache(64);
    keep(cache, 0, 'zero');
    keep(cache, 7, '');
    keep(cache, 9, 'nine');
    assert.deepEqual(
      [0, 7, 9, 8].map(slot => found(cache, slot)),
      ['zero', '', 'nine', undefined],
    );
    keep(cache, 0, 'other');
    assert.equal(found(cache, 0), 'other');
    assert.equal(cache.isReadAgain(0), true);
    assert.equal(found(cache, 0), 'other');
  });

  test('deletes the fragment of a server when forget() is called', () => {
    const cache = new MemoryFragmentCache(64);
    keep(cache, 3, 'three');
    cache.forget(4);
    assert.equal(found(cache, 3), 'three');
    cache.forget(3);
    assert.equal(cache.findFragment(3), false);
    assert.equal(cache.isReadAgain(3), false);
    cache.forget(3);
    assert.equal(cache.isReadAgain(3), false, 'asking is forgotten, too');
    assert.equal(cache.isReadAgain(3), true);
  });

  test('overwrites old fragments, the oldest first, until the new fragment fits', () => {
    const cache = new MemoryFragmentCache(3 * (LENGTH_BYTES + 6));
    for (const slot of [0, 1, 2]) keep(cache, slot, `part ${slot}`);
    assert.deepEqual(
      [0, 1, 2].map(slot => found(cache, slot)),
      ['part 0', 'part 1', 'part 2'],
    );
    keep(cache, 3, '3');
    assert.deepEqual(
      [0, 1, 2, 3].map(slot => found(cache, slot)),
      [undefined, 'part 1', 'part 2', '3'],
    );
    assert.equal(cache.isReadAgain(0), true, 'it was asked for, and is again');
    keep(cache, 4, 'part 4');
    assert.deepEqual(
      [1, 2, 3, 4].map(slot => found(cache, slot)),
      [undefined, 'part 2', '3', 'part 4'],
    );
  });

  test('never splits a fragment at the end of its ring buffer', () => {
    for (let first = 0; first <= 28; first++) {
      const cache = new MemoryFragmentCache(32);
      keep(cache, 0, 'x'.repeat(first));
      keep(cache, 1, 'in one piece');
      assert.equal(found(cache, 1), 'in one piece', `after ${first} bytes`);
      assert.ok(cache.end <= cache.bytes.length);
      const fits = 2 * LENGTH_BYTES + first + 'in one piece'.length <= 32;
      assert.equal(found(cache, 0), fits ? 'x'.repeat(first) : undefined);
    }
  });

  test('ignores a fragment that is larger than its ring buffer', () => {
    const cache = new MemoryFragmentCache(32);
    keep(cache, 0, 'stays');
    cache.addFragment(1, Buffer.alloc(32 - LENGTH_BYTES + 1));
    assert.equal(cache.findFragment(1), false);
    assert.equal(found(cache, 0), 'stays');
    keep(cache, 1, 'x'.repeat(32 - LENGTH_BYTES));
    assert.equal(found(cache, 1), 'x'.repeat(32 - LENGTH_BYTES));
    assert.equal(found(cache, 0), undefined);
  });

  test('keeps only the newest fragment if two servers use the same cache entry', () => {
    const cache = new MemoryFragmentCache(256);
    const [slot, other] = [5, 5 + APART];
    keep(cache, slot, 'one');
    assert.equal(found(cache, other), undefined);
    cache.forget(other);
    assert.equal(found(cache, slot), 'one');
    keep(cache, other, 'other');
    assert.deepEqual([found(cache, slot), found(cache, other)], [undefined, 'other']);
    assert.equal(cache.isReadAgain(slot), false);
    assert.equal(found(cache, other), undefined, 'the place is for the one that was asked for last');
    assert.equal(cache.isReadAgain(other), false);
    assert.equal(cache.isReadAgain(slot), false);
    assert.equal(cache.isReadAgain(slot), true);
  });

  test('finds recent fragments, but none that is outdated or of another server', () => {
    const below = randomNumbers(7);
    const MOST = 40;
    for (const ringBytes of [MOST + LENGTH_BYTES, 100, 257, 1024]) {
      const cache = new MemoryFragmentCache(ringBytes);
      const slots = Array.from({ length: 30 }, (_, i) => (i % 20) + (i < 20 ? 0 : APART * (1 + (i & 1))));
      /**
       * The content that the test expects in the cache, keyed by the number of the cache entry. `slot`: index of the
       * server that uses the entry. `kept`: the cached fragment of this server (`part`), and the number of bytes that
       * were written to the cache before this fragment (`before`).
       */
      const places = new Map<number, { slot: number; kept?: { part: string; before: number } }>();
      let written = 0;
      let missed = 0;
      let hits = 0;
      for (let step = 0; step < 20_000; step++) {
        const slot = slots[below(slots.length)] ?? 0;
        const place = slot % APART;
        const mine = places.get(place)?.slot === slot ? places.get(place) : undefined;
        switch (below(5)) {
          case 0:
            cache.forget(slot);
            if (mine) places.delete(place);
            break;
          case 1:
            assert.equal(cache.isReadAgain(slot), mine !== undefined);
            if (!mine) places.set(place, { slot });
            break;
          case 2: {
            const part = String.fromCharCode(below(256)).repeat(below(MOST + 1));
            keep(cache, slot, part);
            places.set(place, { slot, kept: { part, before: written } });
            written += part.length + LENGTH_BYTES;
            break;
          }
          default: {
            const seen = found(cache, slot);
            // Number of bytes that were written to the cache since the fragment of this server was added, including the
            // fragment itself.
            const since = mine?.kept ? written - mine.kept.before : Number.POSITIVE_INFINITY;
            if (seen === undefined) {
              missed++;
              // The cache may lose a fragment only if newer fragments have filled its ring buffer since then. The ring
              // buffer counts as full a little earlier, because up to MOST + LENGTH_BYTES bytes at its end can stay
              // unused.
              assert.ok(since > ringBytes - MOST - LENGTH_BYTES, 'it was new enough to be there');
            } else {
              hits++;
              assert.equal(seen, mine?.kept?.part);
              assert.ok(since <= ringBytes, 'it was written over');
            }
          }
        }
      }
      assert.ok(hits > 200 && missed > 200, `${hits} found, ${missed} not`);
    }
  });
});
