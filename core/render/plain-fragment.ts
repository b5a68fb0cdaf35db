import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { ServerView } from '../servers/server-view.ts';
import { writeServerTag } from './answer-tag.ts';
import { writePayloadEnd, writeStablePart } from './payload.ts';

/**
 * Appends one part of a server's JSON payload to `out`: the part that usually stays the same until the next probe.
 * Copies this part from the cache `fragments`, or writes it if it is not cached. When a server is read for the second
 * time since its last change, adds the part to the cache.
 */
export function writePlainFragment(
  out: ByteWriter,
  server: ServerView,
  fragments: FragmentCache | undefined,
): void {
  const { slot } = server;
  if (fragments?.findFragment(slot)) {
    out.copyRange(fragments.bytes, fragments.start, fragments.end);
    return;
  }
  const start = out.length;
  writeStablePart(out, server);
  if (fragments?.isReadAgain(slot)) fragments.addFragment(slot, out.room(0).subarray(start, out.length));
}

/**
 * Appends a server as JSON to `out`, in the form that answers contain at the time `now` (Unix ms). Also appends the
 * entity tag of the server to `tags` (see `writeServerTag`).
 */
export function writePayload(
  out: ByteWriter,
  tags: ByteWriter,
  server: ServerView,
  now: number,
  rules: FreshnessRules,
  fragments: FragmentCache,
): void {
  const stale = showAt(server, now, rules);
  writePlainFragment(out, server, fragments);
  writePayloadEnd(out, stale);
  writeServerTag(tags, server, stale);
}
