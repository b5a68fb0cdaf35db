import type { ByteWriter } from '../../proto/byte-writer.ts';
import { deflatePart, GzipMember } from '../../runtime/gzip-member.ts';
import { type ServerView, writeStablePart } from './payload.ts';
import type { KeptParts } from './server-store.ts';

/**
 * Writes an answer as gzip while it is found: the part of each payload that stays the same until the server's next probe is
 * compressed once and copied from then on. Compressing takes 20 µs, so it waits until a part is asked for a second time.
 */
export class PartJoiner {
  readonly #out: ByteWriter;
  readonly #parts: KeptParts;
  readonly #member: GzipMember;
  #complete = true;

  /** Begins at the end of `out`; text is what others append to it. */
  constructor(out: ByteWriter, parts: KeptParts) {
    this.#out = out;
    this.#parts = parts;
    this.#member = new GzipMember(out);
  }

  /** Adds the part of a server. */
  add(server: ServerView): void {
    const { slot } = server;
    if (!this.#parts.find(slot) && !this.#make(server)) this.#complete = false;
    // All are looked for even where one is missing, for the next time.
    if (!this.#complete) return;
    const { bytes, start, end } = this.#parts;
    this.#complete = this.#member.part(bytes, start, end);
  }

  /** Ends the answer; false where it could not be joined, and what was written is of no use. */
  end(): boolean {
    return this.#complete && this.#member.end();
  }

  #make(server: ServerView): boolean {
    const parts = this.#parts;
    if (!parts.wanted(server.slot)) return false;
    const out = this.#out;
    const start = out.length;
    writeStablePart(out, server);
    const part = deflatePart(out.room(0).subarray(start, out.length));
    out.length = start;
    return parts.keep(server.slot, part) && parts.find(server.slot);
  }
}
