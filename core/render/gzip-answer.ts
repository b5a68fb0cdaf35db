import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { deflateFragment, deflateFragmentOnce, GzipMember } from '../../proto/codec/gzip-member.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import type { ServerView } from '../servers/server-view.ts';
import { writeStablePart } from './payload.ts';

/**
 * Maximum number of fragments in an answer that are compressed without being cached. If there are more, compressing the
 * whole answer in one pass is cheaper than concatenating fragments.
 */
const MAX_ONCE = 8;

const once = new ByteWriter();

/**
 * Writes an answer as gzip by concatenating fragments. A fragment is the part of a payload that stays the same until
 * the next probe of the server. When a fragment is read for the second time, it is compressed and cached. After that,
 * the cached bytes are copied. When a fragment is read for the first time, it is compressed fast and not cached, so it
 * does not displace fragments that are read often.
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
   * Appends the fragment of a server to the answer. The fragment is the part of the payload that stays the same until
   * the next probe.
   */
  addServer(server: ServerView): void {
    const fragments = this.#fragments;
    const { slot } = server;
    if (fragments.findFragment(slot)) {
      this.#join(fragments.bytes, fragments.start, fragments.end);
      return;
    }
    // `isReadAgain` also remembers that the server was read. It is called even if this answer will be discarded, so
    // that the fragment of a server that is read for the second time is cached for later answers.
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
   * Ends the gzip answer. Returns false if the answer is incomplete: too many of its fragments were not cached, or a
   * text between two fragments was larger than 64 KiB. The caller must discard the bytes of an incomplete answer.
   */
  end(): boolean {
    return this.#complete && this.#member.finish();
  }

  #join(bytes: Buffer, start: number, end: number): void {
    if (this.#complete) this.#complete = this.#member.addFragment(bytes, start, end);
  }
}
