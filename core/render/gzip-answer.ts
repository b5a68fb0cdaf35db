import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { deflateFragment, deflateFragmentOnce, GzipMember } from '../../proto/codec/gzip-member.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { ServerView } from '../servers/server-view.ts';
import { writeStablePart } from './payload.ts';

/**
 * Maximum number of uncached servers that gsq compresses one by one for one gzip answer. If more servers of the answer
 * are not in the cache, it takes less time to compress the whole answer in one pass, so gsq does this.
 */
const MAX_ONCE = 8;

const once = new ByteWriter();

/**
 * Writes a gzip answer by concatenating fragments: compressed parts that each describe one server. A fragment is cached
 * when its server is read for the second time. Therefore servers that are seldom read do not displace others from the
 * cache.
 */
export class GzipAnswer {
  readonly #out: ByteWriter;
  readonly #fragments: FragmentCache;
  readonly #member: GzipMember;
  #complete = true;
  #once = 0;

  /**
   * Starts a gzip answer at the current end of `out`. Text that the caller appends to `out` before the end of the
   * answer becomes part of the compressed answer.
   */
  constructor(out: ByteWriter, fragments: FragmentCache) {
    this.#out = out;
    this.#fragments = fragments;
    this.#member = new GzipMember(out);
  }

  /**
   * Appends the stable part of a server's payload to the answer. This part usually stays the same until the next probe
   * of the server.
   */
  addServer(server: ServerView): void {
    const fragments = this.#fragments;
    const { slot } = server;
    if (fragments.findFragment(slot)) {
      this.#join(fragments.bytes, fragments.start, fragments.end);
      return;
    }
    // Calls `isReadAgain` even if the current answer will be discarded, because the call also notes that the server was
    // read. The next answer can then cache the server.
    const wanted = fragments.isReadAgain(slot);
    if (!wanted && this.#once === MAX_ONCE) this.#complete = false;
    if (!wanted && !this.#complete) return;
    const out = this.#out;
    const start = out.length;
    writeStablePart(out, server);
    const bytes = out.room(0).subarray(start, out.length);
    out.length = start;
    if (wanted) {
      const fragment = deflateFragment(bytes);
      fragments.addFragment(slot, fragment);
      this.#join(fragment, 0, fragment.length);
      return;
    }
    this.#once++;
    once.length = 0;
    deflateFragmentOnce(bytes, once);
    this.#join(once.room(0), 0, once.length);
  }

  /**
   * Ends the gzip answer. Returns false if the answer is incomplete, for example because too many servers were not in
   * the cache. The caller must then discard the bytes of the answer.
   */
  end(): boolean {
    return this.#complete && this.#member.finish();
  }

  #join(bytes: Buffer, start: number, end: number): void {
    if (this.#complete) this.#complete = this.#member.addFragment(bytes, start, end);
  }
}
