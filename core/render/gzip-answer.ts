import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { deflateFragment, deflateFragmentOnce, GzipMember } from '../../proto/codec/gzip-member.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import { type ServerView, writeStablePart } from './payload.ts';

/** Beyond so many parts that nobody asked for before, compressing the answer in one pass is cheaper than joining it. */
const MAX_ONCE = 8;

const once = new ByteWriter();

/**
 * Writes an answer as gzip while it is found: the part of each payload that stays the same until the server's next probe is
 * compressed when it is asked for the second time, and copied from then on. What is asked for once is compressed in haste
 * and not kept, so that it does not take the place of what is asked for often.
 */
export class GzipAnswer {
  readonly #out: ByteWriter;
  readonly #parts: FragmentCache;
  readonly #member: GzipMember;
  #complete = true;
  #once = 0;

  /** Begins at the end of `out`; text is what others append to it. */
  constructor(out: ByteWriter, parts: FragmentCache) {
    this.#out = out;
    this.#parts = parts;
    this.#member = new GzipMember(out);
  }

  /** Adds the part of a server. */
  add(server: ServerView): void {
    const parts = this.#parts;
    const { slot } = server;
    if (parts.find(slot)) {
      this.#join(parts.bytes, parts.start, parts.end);
      return;
    }
    // All are looked for even where the answer cannot be joined, for the next time.
    const wanted = parts.wanted(slot);
    if (!wanted && this.#once === MAX_ONCE) this.#complete = false;
    if (!wanted && !this.#complete) return;
    const out = this.#out;
    const start = out.length;
    writeStablePart(out, server);
    const bytes = out.room(0).subarray(start, out.length);
    out.length = start;
    if (wanted) {
      const part = deflateFragment(bytes);
      parts.keep(slot, part);
      this.#join(part, 0, part.length);
      return;
    }
    this.#once++;
    once.length = 0;
    deflateFragmentOnce(bytes, once);
    this.#join(once.room(0), 0, once.length);
  }

  /** Ends the answer; false where it could not be joined, and what was written is of no use. */
  end(): boolean {
    return this.#complete && this.#member.finish();
  }

  #join(bytes: Buffer, start: number, end: number): void {
    if (this.#complete) this.#complete = this.#member.addFragment(bytes, start, end);
  }
}
