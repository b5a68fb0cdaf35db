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
 * Keeps compressed parts of answers, found by their marks and their content. A part is compressed only when it comes the second time:
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

  /**
   * Of bytes `start` to `end` of `body`, kept under `mark`; undefined where they come the first time or are too many to
   * be kept.
   */
  find(body: Buffer, start: number, end: number, mark: number): Fragment | undefined {
    // Signed, since only small integers are keys without an object of their own.
    const key = mark | 0;
    const young = this.#young.fragments.get(key);
    if (young && isOf(body, start, end, young)) return young;
    const old = this.#old.fragments.get(key);
    const part = body.subarray(start, end);
    if (old && isOf(body, start, end, old))
      return this.#keep(key, part, old.chunk.subarray(old.start, old.end));
    const slot = key & (SEEN - 1);
    if (this.#seen[slot] === key) return this.#keep(key, part, deflateFragment(part));
    this.#seen[slot] = key;
    return undefined;
  }

  #keep(key: number, json: Buffer, deflated: Buffer): Fragment | undefined {
    const length = json.length + deflated.length;
    if (length > CHUNK_BYTES) return undefined;
    this.#makeRoom(length);
    const chunk = this.#chunk;
    const jsonStart = this.#used;
    const start = jsonStart + json.copy(chunk, jsonStart);
    const end = start + deflated.copy(chunk, start);
    this.#used = end;
    const fragment = { chunk, jsonStart, start, end };
    this.#young.fragments.set(key, fragment);
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

function isOf(body: Buffer, from: number, to: number, { chunk, jsonStart, start }: Fragment): boolean {
  return to - from === start - jsonStart && body.compare(chunk, jsonStart, start, from, to) === 0;
}
