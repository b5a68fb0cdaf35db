import type { FragmentCache } from '../../servers/server-store.ts';

/**
 * Number of entries, a power of two. A slot uses the entry with the index (slot modulo ENTRIES), so the first ENTRIES
 * slots never share an entry.
 */
const ENTRIES = 1 << 17;
const RING_BYTES = 32 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Value in `#begins`: the record was read since its last change, but has no fragment yet. */
const READ = -1;
/** Value in `#begins`: the record was not read since its last change. */
const UNREAD = -2;

/**
 * Caches one compressed fragment for each slot whose record is read often. The memory is a ring buffer: new fragments
 * overwrite the oldest. Losing old fragments costs little, because all records change within minutes.
 */
export class MemoryFragmentCache implements FragmentCache {
  // The whole ring buffer is allocated at the start. The operating system provides memory only for the parts in use.
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  readonly #slots = new Int32Array(ENTRIES);
  /**
   * State of each entry. If the entry has a fragment: the position of the fragment, as the total number of bytes written
   * to the ring before it. If not: READ or UNREAD.
   */
  readonly #begins = new Float64Array(ENTRIES).fill(UNREAD);
  /** Total number of bytes written to the ring since the start, including skipped bytes. */
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
      // A fragment must be contiguous, so this skips the remaining bytes at the end of the ring.
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

  /** Drops the fragment of the server with this slot. Called after its record changed or the server was removed. */
  forget(slot: number): void {
    const entry = slot & (ENTRIES - 1);
    if (this.#slots[entry] === slot) this.#begins[entry] = UNREAD;
  }
}
