import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { GzipAnswer } from '../../../core/render/gzip-answer.ts';
import { writeStablePart } from '../../../core/render/payload.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { FragmentCache } from '../../../core/servers/server-store.ts';
import { type ServerView, viewOf } from '../../../core/servers/server-view.ts';
import { MemoryFragmentCache } from '../../../core/store/memory/fragment-cache.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { payloadOf } from '../payload-of.ts';
import { onlineRecord } from '../record-of.ts';

const at = Date.UTC(2026, 0, 1);

/** Returns the view of a server that has answered, in a slot of the store. */
function serverIn(slot: number, name = `server ${slot}`): ServerView {
  const record = newRecord('csgo', `1.2.3.4:${slot}`, 'tok_1', at, 60_000);
  return { ...viewOf(onlineRecord(record, at, { payload: payloadOf({ name }) })), slot };
}

/** Returns the view of a server that waits for its first probe. Its fragment is short. */
function pendingIn(slot: number): ServerView {
  return { ...viewOf(newRecord('csgo', `1.2.3.4:${slot}`, 'tok_1', at, 60_000)), slot };
}

function plain(servers: readonly ServerView[], text: string): string {
  const out = new ByteWriter();
  out.text('{');
  for (const server of servers) {
    writeStablePart(out, server);
    out.text(text);
  }
  return out.take().toString();
}

/**
 * Returns a gzip answer that is concatenated from the fragments of these servers, with `text` after each fragment.
 * Returns undefined if the answer could not be concatenated.
 */
function joined(parts: FragmentCache, servers: readonly ServerView[], text = '},'): Buffer | undefined {
  const out = new ByteWriter(16);
  out.text('before');
  const joiner = new GzipAnswer(out, parts);
  out.text('{');
  for (const server of servers) {
    joiner.add(server);
    out.text(text);
  }
  const complete = joiner.end();
  const bytes = out.take();
  assert.equal(bytes.toString('latin1', 0, 6), 'before');
  return complete ? bytes.subarray(6) : undefined;
}

const assertJoined = (parts: FragmentCache, servers: readonly ServerView[], text = '},'): void => {
  const bytes = joined(parts, servers, text);
  assert.ok(bytes, 'it could not be joined');
  assert.equal(gunzipSync(bytes).toString(), plain(servers, text));
};

/** A fragment cache that counts how many fragments are added. */
class Counting extends MemoryFragmentCache {
  kept = 0;
  override addFragment(slot: number, part: Uint8Array): void {
    this.kept++;
    super.addFragment(slot, part);
  }
}

describe('GzipAnswer', () => {
  test('caches a fragment when it is used for the second time, not earlier', () => {
    const parts = new Counting();
    const servers = [serverIn(0), pendingIn(1), serverIn(2)];
    assertJoined(parts, servers);
    assert.equal(parts.kept, 0);
    assertJoined(parts, servers);
    assert.equal(parts.kept, 3);
    const again = joined(parts, servers);
    assert.deepEqual(joined(parts, servers), again);
    assertJoined(parts, servers.toReversed());
    assertJoined(parts, []);
    assert.equal(parts.kept, 3);
  });

  test('accepts at most eight fragments that were never used before; with more it fails, but remembers all as used', () => {
    const parts = new Counting();
    const some = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => serverIn(first + i));
    assertJoined(parts, some(0, 8));
    assert.equal(joined(parts, some(10, 9)), undefined);
    assert.equal(parts.kept, 0);
    assertJoined(parts, [...some(0, 8), ...some(10, 9), ...some(20, 8)]);
    assert.equal(parts.kept, 17);
    assert.equal(joined(parts, [...some(30, 9), ...some(20, 8)]), undefined);
    assert.equal(parts.kept, 25);
  });

  test('caches a fragment again after it was dropped from the cache, with the current state of the server', () => {
    const parts = new MemoryFragmentCache();
    for (let i = 0; i < 2; i++) joined(parts, [serverIn(1), serverIn(2)]);
    parts.forget(1);
    const now = [serverIn(1, 'another name'), serverIn(2)];
    for (let i = 0; i < 2; i++) assertJoined(parts, now);
  });

  test('works even if the cache is too small for all fragments of an answer', () => {
    const parts = new Counting(600);
    const servers = Array.from({ length: 8 }, (_, i) => serverIn(i));
    joined(parts, servers);
    for (let i = 1; i <= 3; i++) {
      assertJoined(parts, servers);
      assert.equal(parts.kept, 8 * i);
    }
  });

  test('compresses a fragment again for every answer if the fragment is too large for the cache', () => {
    const parts = new MemoryFragmentCache(200);
    for (let i = 0; i < 4; i++) assertJoined(parts, [serverIn(1)]);
    assert.equal(parts.findFragment(1), false);
  });

  test('fails if the text after a fragment is longer than 65,535 bytes', () => {
    const parts = new MemoryFragmentCache();
    const servers = [serverIn(1), serverIn(2)];
    joined(parts, servers);
    assertJoined(parts, servers, 'x'.repeat(65_535));
    assert.equal(joined(parts, servers, 'x'.repeat(65_536)), undefined);
    assert.equal(joined(parts, servers.slice(1), 'x'.repeat(65_536)), undefined);
    assertJoined(parts, servers);
  });
});
