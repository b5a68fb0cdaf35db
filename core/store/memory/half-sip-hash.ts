/**
 * HalfSipHash-1-3, the 32-bit variant of SipHash (Aumasson, Bernstein) that the Linux kernel uses for hash tables.
 * Without the key, nobody can choose inputs whose hashes collide.
 */
export class HalfSipHash {
  readonly #key0: number;
  readonly #key1: number;

  /** Creates a hash function. Its key consists of two 32-bit integers. */
  constructor(key0: number, key1: number) {
    this.#key0 = key0 | 0;
    this.#key1 = key1 | 0;
  }

  /** Returns the hash of the bytes from `start` to `end`, as a signed 32-bit integer. */
  hash(bytes: Uint8Array, start: number, end: number): number {
    let v0 = this.#key0;
    let v1 = this.#key1;
    let v2 = 0x6c796765 ^ v0;
    let v3 = 0x74656462 ^ v1;
    const words = end - ((end - start) & 3);
    // Both loops below contain a copy of the code of a SipHash round: a shared function would have to allocate an
    // object to return four numbers.
    for (let i = start; i < words; i += 4) {
      const word =
        (bytes[i] ?? 0) |
        ((bytes[i + 1] ?? 0) << 8) |
        ((bytes[i + 2] ?? 0) << 16) |
        ((bytes[i + 3] ?? 0) << 24);
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    let last = (end - start) << 24;
    for (let i = words, shift = 0; i < end; i++, shift += 8) last |= (bytes[i] ?? 0) << shift;
    v3 ^= last;
    // Four SipHash rounds: one for the last bytes of the input, and three that finish the hash.
    for (let round = 0; round < 4; round++) {
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      if (round > 0) continue;
      v0 ^= last;
      v2 ^= 0xff;
    }
    return v1 ^ v3;
  }
}
