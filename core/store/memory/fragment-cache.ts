import type { FragmentCache } from '../../servers/server-store.ts';

/**
 * Number of entries of the cache, a power of two. The server in row `slot` of the server table uses the entry `slot`
 * modulo ENTRIES. If two servers share an entry, they replace each other's fragments (parts of answers).
 */
const ENTRIES = 1 << 17;
const RING_BYTES = 32 * 1024 * 1024;
const LENGTH_BYTES = 4;
/**
 * Value in `#begins` for a server that was read once since its last change. No fragment (part of an answer) of this
 * server is cached yet, but the next read caches one.
 */
const READ = -1;
/**
 * Value in `#begins` for a server that was not read since its last change. No fragment of this server is cached. The
 * first read caches no fragment either, but changes the value to READ.
 */
const UNREAD = -2;

/**
 * Caches the encoded parts of answers (fragments) of servers that are fetched often. New fragments overwrite the oldest
 * ones in a ring buffer.
 */
export class MemoryFragmentCache implements FragmentCache {
  // The whole ring buffer is allocated at the start. The operating system provides memory only for the parts in use.
  readonly bytes: Buffer;
  start = 0;
  end = 0;
  readonly #slots = new Int32Array(ENTRIES);
  /**
   * For each cache entry: the value of `#written` just before its fragment was written to the ring buffer. This value
   * modulo the size of the ring buffer is the position of the fragment. READ or UNREAD if no fragment is cached.
   */
  readonly #begins = new Float64Array(ENTRIES).fill(UNREAD);
  /**
   * Total number of bytes written to the ring buffer since the start of the process. Bytes that were skipped at the end
   * of the buffer are included.
   */
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
      // The bytes of a fragment must be contiguous. If they do not fit before the end of the ring buffer, they are
      // written at its start.
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

  /**
   * Drops the cached fragment of the server with this `slot` (row in the server table). Must be called when the record
   * of the server changes or the server is removed.
   */
  forget(slot: number): void {
    const entry = slot & (ENTRIES - 1);
    if (this.#slots[entry] === slot) this.#begins[entry] = UNREAD;
  }
}
