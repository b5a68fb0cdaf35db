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

/**
 * Returns an online server, in the form that the renderer of answers uses. `slot` is the index of the server in the
 * core's server table.
 */
function serverIn(slot: number, name = `server ${slot}`): ServerView {
  const record = newRecord('csgo', `1.2.3.4:${slot}`, 'tok_1', at, 60_000);
  return { ...viewOf(onlineRecord(record, at, { payload: payloadOf({ name }) })), slot };
}

/** Returns a server that was never probed, in the form that the renderer of answers uses. It has no game data yet. */
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
  return out.takeBytes().toString();
}

/**
 * Builds a gzip answer that contains the data of each server in `servers`, followed by `text`. If the compressed data
 * of a server is in the cache `fragments`, the answer uses it. Returns undefined if `GzipAnswer` cannot complete the
 * answer, for example because too many servers are not in the cache.
 */
function gzipOf(fragments: FragmentCache, servers: readonly ServerView[], text = '},'): Buffer | undefined {
  const out = new ByteWriter(16);
  out.text('before');
  const answer = new GzipAnswer(out, fragments);
  out.text('{');
  for (const server of servers) {
    answer.addServer(server);
    out.text(text);
  }
  const complete = answer.end();
  const bytes = out.takeBytes();
  assert.equal(bytes.toString('latin1', 0, 6), 'before');
  return complete ? bytes.subarray(6) : undefined;
}

const assertGzip = (fragments: FragmentCache, servers: readonly ServerView[], text = '},'): void => {
  const bytes = gzipOf(fragments, servers, text);
  assert.ok(bytes, 'the answer could not be concatenated');
  assert.equal(gunzipSync(bytes).toString(), plain(servers, text));
};

/** A cache of compressed server data. `added` counts the calls of `addFragment`. */
class Counting extends MemoryFragmentCache {
  added = 0;
  override addFragment(slot: number, fragment: Uint8Array): void {
    this.added++;
    super.addFragment(slot, fragment);
  }
}

describe('a gzip answer from cached payloads', () => {
  test('caches the compressed payload of a server at the second request for this server', () => {
    const fragments = new Counting();
    const servers = [serverIn(0), pendingIn(1), serverIn(2)];
    assertGzip(fragments, servers);
    assert.equal(fragments.added, 0);
    assertGzip(fragments, servers);
    assert.equal(fragments.added, 3);
    const again = gzipOf(fragments, servers);
    assert.deepEqual(gzipOf(fragments, servers), again);
    assertGzip(fragments, servers.toReversed());
    assertGzip(fragments, []);
    assert.equal(fragments.added, 3);
  });

  test('is possible if eight of its servers are requested for the first time, but not if nine are', () => {
    const fragments = new Counting();
    const some = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => serverIn(first + i));
    assertGzip(fragments, some(0, 8));
    assert.equal(gzipOf(fragments, some(10, 9)), undefined);
    assert.equal(fragments.added, 0);
    assertGzip(fragments, [...some(0, 8), ...some(10, 9), ...some(20, 8)]);
    assert.equal(fragments.added, 17);
    assert.equal(gzipOf(fragments, [...some(30, 9), ...some(20, 8)]), undefined);
    assert.equal(fragments.added, 25);
  });

  test('contains the current data of a server after its payload was dropped from the cache', () => {
    const fragments = new MemoryFragmentCache();
    for (let i = 0; i < 2; i++) gzipOf(fragments, [serverIn(1), serverIn(2)]);
    fragments.forget(1);
    const now = [serverIn(1, 'another name'), serverIn(2)];
    for (let i = 0; i < 2; i++) assertGzip(fragments, now);
  });

  test('is complete even if all its payloads together are larger than the cache', () => {
    const fragments = new Counting(600);
    const servers = Array.from({ length: 8 }, (_, i) => serverIn(i));
    gzipOf(fragments, servers);
    for (let i = 1; i <= 3; i++) {
      assertGzip(fragments, servers);
      assert.equal(fragments.added, 8 * i);
    }
  });

  test('is complete even if a single payload is too large for the cache', () => {
    const fragments = new MemoryFragmentCache(200);
    for (let i = 0; i < 4; i++) assertGzip(fragments, [serverIn(1)]);
    assert.equal(fragments.findFragment(1), false);
  });

  test('is not possible if the text between two payloads is longer than 65,535 bytes', () => {
    const fragments = new MemoryFragmentCache();
    const servers = [serverIn(1), serverIn(2)];
    gzipOf(fragments, servers);
    assertGzip(fragments, servers, 'x'.repeat(65_535));
    assert.equal(gzipOf(fragments, servers, 'x'.repeat(65_536)), undefined);
    assert.equal(gzipOf(fragments, servers.slice(1), 'x'.repeat(65_536)), undefined);
    assertGzip(fragments, servers);
  });
});
