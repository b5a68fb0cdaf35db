import type { FragmentCache } from '../../servers/server-store.ts';

/** A power of two. Of slots that are the same modulo this one is kept, so the first so many servers all can be. */
const PLACES = 1 << 17;
const RING_BYTES = 32 * 1024 * 1024;
const LENGTH_BYTES = 4;
const SEEN = -1;
const NOTHING = -2;

/**
 * Keeps bytes by slot: what was made of records that are asked for often. Bounded: a ring, in which the oldest make
 * room for the newest, since all of them change within minutes anyway.
 */
export class MemoryFragmentCache implements FragmentCache {
  // Untouched pages take no memory.
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  readonly #slots = new Int32Array(PLACES);
  /** How much had ever gone into the ring before what is kept for a slot; or SEEN, or NOTHING. */
  readonly #begins = new Float64Array(PLACES).fill(NOTHING);
  /** How much has ever gone into the ring. */
  #written = 0;

  constructor(ringBytes = RING_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(ringBytes);
  }

  find(slot: number): boolean {
    const place = slot & (PLACES - 1);
    const begin = this.#begins[place] ?? NOTHING;
    const ring = this.bytes;
    if (begin < 0 || this.#slots[place] !== slot || this.#written - begin > ring.length) return false;
    const at = begin % ring.length;
    this.start = at + LENGTH_BYTES;
    this.end = this.start + ring.readUInt32LE(at);
    return true;
  }

  wanted(slot: number): boolean {
    if (slot < 0) return false;
    const place = slot & (PLACES - 1);
    if (this.#slots[place] === slot && this.#begins[place] !== NOTHING) return true;
    this.#slots[place] = slot;
    this.#begins[place] = SEEN;
    return false;
  }

  keep(slot: number, part: Uint8Array): void {
    const ring = this.bytes;
    const needed = LENGTH_BYTES + part.length;
    if (needed > ring.length) return;
    let at = this.#written % ring.length;
    if (at + needed > ring.length) {
      // It has to lie in one piece.
      this.#written += ring.length - at;
      at = 0;
    }
    ring.writeUInt32LE(part.length, at);
    ring.set(part, at + LENGTH_BYTES);
    const place = slot & (PLACES - 1);
    this.#slots[place] = slot;
    this.#begins[place] = this.#written;
    this.#written += needed;
  }

  /** Forgets a slot: its record has changed, or gone. */
  forget(slot: number): void {
    const place = slot & (PLACES - 1);
    if (this.#slots[place] === slot) this.#begins[place] = NOTHING;
  }
}
