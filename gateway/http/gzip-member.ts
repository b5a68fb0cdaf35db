import { constants, deflateRawSync } from 'node:zlib';

// Deflate, no flags, no time, no extras, made on Unix (RFC 1952, 2.3).
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
const MAX_STORED = 0xffff;
/** What a member takes beyond its fragments and stored bytes: at most this, and this for each piece of 64 KiB. */
const FRAME_BYTES = 24;
const PIECE_BYTES = 5;

const FRAGMENT = { level: 9, finishFlush: constants.Z_SYNC_FLUSH };
const EMPTY_LENGTH_BYTES = 4;

/**
 * Deflates bytes so that others can follow, in a member of several (RFC 1951). A sync flush ends with an empty stored
 * block; its length is left out here, so that what follows can be stored in that very block.
 */
export function deflateFragment(bytes: Buffer): Buffer {
  const flushed = deflateRawSync(bytes, FRAGMENT);
  return flushed.subarray(0, flushed.length - EMPTY_LENGTH_BYTES);
}

/** Writes one gzip member out of fragments that were deflated before and of bytes that are stored as they are. */
export class GzipMember {
  readonly #out: Buffer;
  #at = HEADER.length;
  /** Whether the header of a stored block is written, which now needs its length. */
  #opened = false;

  /** Makes room for `pieces` fragments and stored stretches of `bytes` altogether. */
  constructor(pieces: number, bytes: number) {
    const blocks = pieces + Math.ceil(bytes / MAX_STORED);
    this.#out = Buffer.allocUnsafe(FRAME_BYTES + blocks * PIECE_BYTES + bytes);
    for (let i = 0; i < HEADER.length; i++) this.#out[i] = HEADER[i] ?? 0;
  }

  /** Adds bytes `start` to `end` of `source`, which `deflateFragment` gave. */
  addFragment(source: Buffer, start: number, end: number): void {
    if (this.#opened) this.#addLength(0);
    this.#at += source.copy(this.#out, this.#at, start, end);
    this.#opened = true;
  }

  /** Adds bytes `start` to `end` of `source` as they are. */
  addStored(source: Buffer, start: number, end: number): void {
    let from = start;
    while (from < end) {
      const length = Math.min(end - from, MAX_STORED);
      if (!this.#opened) this.#out[this.#at++] = 0;
      this.#addLength(length);
      source.copy(this.#out, this.#at, from, from + length);
      this.#at += length;
      from += length;
    }
  }

  /** Ends the member; `crc` and `length` are of all it unfolds to. */
  end(crc: number, length: number): Buffer {
    if (this.#opened) this.#addLength(0);
    const out = this.#out;
    // An empty last block.
    out[this.#at++] = 3;
    out[this.#at++] = 0;
    this.#at = out.writeUInt32LE(crc, this.#at);
    this.#at = out.writeUInt32LE(length, this.#at);
    return out.subarray(0, this.#at);
  }

  #addLength(length: number): void {
    const out = this.#out;
    out[this.#at++] = length & 0xff;
    out[this.#at++] = length >> 8;
    out[this.#at++] = ~length & 0xff;
    out[this.#at++] = (~length >> 8) & 0xff;
    this.#opened = false;
  }
}
