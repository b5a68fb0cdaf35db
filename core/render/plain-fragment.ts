import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { ServerView } from '../servers/server-view.ts';
import { writeStablePart } from './payload.ts';

/**
 * Appends the part of a server's JSON payload that stays the same until the next probe (`writeStablePart`). Copies it
 * from `fragments` if this cache contains it. If not, adds it to the cache when the server is read for the second time.
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
