import type { FragmentCache } from '../../servers/server-store.ts';

/** Entries, a power of two. Slots that are equal modulo it share one, so the first so many servers all fit. */
const ENTRIES = 1 << 17;
const RING_BYTES = 32 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Instead of where a fragment begins: the record was read, and has no fragment yet. */
const READ = -1;
/** The record was not read since it changed. */
const UNREAD = -2;

/**
 * Keeps a compressed fragment for each slot whose record is read often. Bounded: a ring buffer, in which new fragments
 * overwrite the oldest; all of them change within minutes anyway.
 */
export class MemoryFragmentCache implements FragmentCache {
  // Untouched pages take no memory.
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  readonly #slots = new Int32Array(ENTRIES);
  /** By entry: how many bytes had ever been written to the ring before the fragment; or READ, or UNREAD. */
  readonly #begins = new Float64Array(ENTRIES).fill(UNREAD);
  /** How many bytes have ever been written to the ring. */
  #written = 0;

  constructor(ringBytes = RING_BYTES) {
    this.bytes = Buffer.allocUnsafeSlow(ringBytes);
  }

  findFragment(slot: number): boolean {
    const entry = slot & (ENTRIES - 1);
    const begin = this.#begins[entry] ?? UNREAD;
    const ring = this.bytes;
    if (begin < 0 || this.#slots[entry] !== slot || this.#written - begin > ring.length) return false;
    const at = begin % ring.length;
    this.start = at + LENGTH_BYTES;
    this.end = this.start + ring.readUInt32LE(at);
    return true;
  }

  isReadAgain(slot: number): boolean {
    if (slot < 0) return false;
    const entry = slot & (ENTRIES - 1);
    if (this.#slots[entry] === slot && this.#begins[entry] !== UNREAD) return true;
    this.#slots[entry] = slot;
    this.#begins[entry] = READ;
    return false;
  }

  addFragment(slot: number, fragment: Uint8Array): void {
    const ring = this.bytes;
    const needed = LENGTH_BYTES + fragment.length;
    if (needed > ring.length) return;
    let at = this.#written % ring.length;
    if (at + needed > ring.length) {
      // A fragment lies in one piece: skips the end of the ring.
      this.#written += ring.length - at;
      at = 0;
    }
    ring.writeUInt32LE(fragment.length, at);
    ring.set(fragment, at + LENGTH_BYTES);
    const entry = slot & (ENTRIES - 1);
    this.#slots[entry] = slot;
    this.#begins[entry] = this.#written;
    this.#written += needed;
  }

  /** Forgets the fragment of a slot: its record changed, or its server was removed. */
  forget(slot: number): void {
    const entry = slot & (ENTRIES - 1);
    if (this.#slots[entry] === slot) this.#begins[entry] = UNREAD;
  }
}
