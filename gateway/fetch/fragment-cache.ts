import { crc32 } from 'node:zlib';
import { deflateFragment } from '../http/gzip-member.ts';

/** A part of an answer that was compressed before. */
export interface Fragment {
  /** Holds the part itself from `jsonStart` to `start`, and what `deflateFragment` made of it from `start` to `end`. */
  readonly chunk: Buffer;
  readonly jsonStart: number;
  readonly start: number;
  readonly end: number;
}

interface Generation {
  readonly fragments: Map<number, Fragment>;
  bytes: number;
}

// Fragments share chunks of their own: a slice of Node's pool could keep eight times its size alive.
const CHUNK_BYTES = 256 * 1024;
// The object of a fragment and its place in the map.
const ENTRY_BYTES = 160;
// What does not come again before so many others would not outlive them in the cache either.
const SEEN = 1 << 16;

/**
 * Keeps compressed parts of answers, found by their content. A part is compressed only when it comes the second time:
 * that takes as long as compressing the whole of a small answer (20 µs). Bounded: whatever was not used while half of
 * the room filled is dropped.
 */
export class FragmentCache {
  readonly #maxBytes: number;
  readonly #seen = new Int32Array(SEEN);
  #young: Generation = { fragments: new Map(), bytes: 0 };
  #old = this.#young;
  #chunk = Buffer.alloc(0);
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#young.bytes + (this.#old === this.#young ? 0 : this.#old.bytes);
  }

  /** Of bytes `start` to `end` of `body`; undefined where they come the first time or are too many to be kept. */
  find(body: Buffer, start: number, end: number): Fragment | undefined {
    const part = body.subarray(start, end);
    // Signed, since only small integers are keys without an object of their own.
    const hash = crc32(part) | 0;
    const young = this.#young.fragments.get(hash);
    if (young && isOf(part, young)) return young;
    const old = this.#old.fragments.get(hash);
    if (old && isOf(part, old)) return this.#keep(hash, part, old.chunk.subarray(old.start, old.end));
    const slot = hash & (SEEN - 1);
    if (this.#seen[slot] === hash) return this.#keep(hash, part, deflateFragment(part));
    this.#seen[slot] = hash;
    return undefined;
  }

  #keep(hash: number, json: Buffer, deflated: Buffer): Fragment | undefined {
    const length = json.length + deflated.length;
    if (length > CHUNK_BYTES) return undefined;
    this.#makeRoom(length);
    const chunk = this.#chunk;
    const jsonStart = this.#used;
    const start = jsonStart + json.copy(chunk, jsonStart);
    const end = start + deflated.copy(chunk, start);
    this.#used = end;
    const fragment = { chunk, jsonStart, start, end };
    this.#young.fragments.set(hash, fragment);
    this.#young.bytes += ENTRY_BYTES;
    return fragment;
  }

  #makeRoom(length: number): void {
    const full = this.#used + length > this.#chunk.length;
    const more = full ? CHUNK_BYTES + ENTRY_BYTES : ENTRY_BYTES;
    const aged = this.#young.bytes + more > this.#maxBytes / 2;
    if (aged) {
      this.#old = this.#young;
      this.#young = { fragments: new Map(), bytes: 0 };
    }
    if (full || aged) {
      this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      this.#used = 0;
      this.#young.bytes += CHUNK_BYTES;
    }
  }
}

function isOf(part: Buffer, { chunk, jsonStart, start }: Fragment): boolean {
  return part.compare(chunk, jsonStart, start) === 0;
}
