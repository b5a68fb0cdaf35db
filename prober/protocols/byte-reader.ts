import { isUtf8 } from 'node:buffer';
import { shortText } from '../../proto/codec/short-text.ts';
import { decodeInvalidUtf8 } from './invalid-utf8.ts';
import { MalformedReply, TruncatedReply } from './protocol.ts';

/**
 * Decodes a string as UTF-8, or as Windows-1252 if the bytes are not valid UTF-8. Old game engines specify no encoding.
 * Drops the last character if it is truncated.
 */
export function decodeText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : decodeInvalidUtf8(bytes);
}

const NOT_ASCII = /[\x80-\xff]/;

/**
 * Decodes a string like `decodeText`. Each character of `latin1` stands for one byte. Returns an ASCII string
 * unchanged, which takes 0.05 µs. The plain version, `decodeText(Buffer.from(latin1, 'latin1'))`, takes 0.5 µs.
 */
export function decodeLatin1(latin1: string): string {
  return NOT_ASCII.test(latin1) ? decodeText(Buffer.from(latin1, 'latin1')) : latin1;
}

/**
 * Reads the fields of a packet one after another. Numbers are little-endian, except in methods whose names end in `be`.
 * Throws TruncatedReply, a MalformedReply, if the packet ends within a field.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#end = bytes.length;
    this.#at = at;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  // `u8`, `u16`, `u32` and `i32` read the bytes directly, because `#take` has checked the bounds. Buffer's methods take
  // twice as long.

  u8(): number {
    const at = this.#take(1);
    return this.#bytes[at] as number;
  }

  u16(): number {
    const at = this.#take(2);
    const bytes = this.#bytes;
    return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  }

  u16be(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.i32() >>> 0;
  }

  u32be(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  i32(): number {
    const at = this.#take(4);
    const bytes = this.#bytes;
    const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
    return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
  }

  f32(): number {
    return this.#bytes.readFloatLE(this.#take(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  /** Reads a string that ends at a zero byte. Throws TruncatedReply if no zero byte follows. */
  cstring(): string {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = this.#textEnd();
    this.#at = end + 1;
    const short = shortText(bytes, start, end);
    if (short !== undefined) return short;
    // If the decoded text contains a replacement character (U+FFFD), the bytes are probably not valid UTF-8.
    // `decodeText` then checks them, and decodes invalid bytes as Windows-1252.
    const text = bytes.toString(undefined, start, end);
    return text.includes('\ufffd') ? decodeText(bytes.subarray(start, end)) : text;
  }

  /**
   * Reads a string that ends at a zero byte, without decoding it: each character stands for one byte. Throws
   * TruncatedReply if no zero byte follows.
   */
  latin1(): string {
    const start = this.#at;
    const end = this.#textEnd();
    this.#at = end + 1;
    return shortText(this.#bytes, start, end) ?? this.#bytes.toString('latin1', start, end);
  }

  /** Skips a string that ends at a zero byte. Throws TruncatedReply if no zero byte follows. */
  skipCstring(): void {
    this.#at = this.#textEnd() + 1;
  }

  bytes(count: number): Buffer {
    const at = this.#take(count);
    return this.#bytes.subarray(at, at + count);
  }

  skip(count: number): void {
    this.#take(count);
  }

  /** Checks that the whole packet has been read. Throws MalformedReply if unread bytes remain. */
  end(): void {
    if (this.remaining > 0) throw new MalformedReply(`${this.remaining} bytes too many`);
  }

  #textEnd(): number {
    const bytes = this.#bytes;
    const end = this.#end;
    // Searches for the zero byte in a loop, which is faster than `indexOf` for short strings.
    for (let at = this.#at; at < end; at++) {
      if (bytes[at] === 0) return at;
    }
    throw new TruncatedReply(`text at byte ${this.#at} does not end`);
  }

  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#end) throw new TruncatedReply(`cut short at byte ${this.#end}`);
    this.#at = at + count;
    return at;
  }
}
