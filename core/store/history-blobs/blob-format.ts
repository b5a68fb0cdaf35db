import { createHmac } from 'node:crypto';
import { CUT_SHORT, encodeVarint32, TOO_LONG, Varint } from '../../../runtime/varint.ts';

/*
 * Format of a history blob: a string in Redis or Valkey with one kind of history of one bucket (group of servers), such
 * as the samples of six hours. The numbers in parentheses are lengths in bytes:
 *
 *   blob    header frame*
 *   header  format(1) generation(3) rolledBytes(4) salt(8)
 *   frame   hash(6) length(varint) body
 */

// A history blob identifies each server by the first six bytes of an HMAC of the server key. The HMAC key is a secret
// salt, so nobody can choose two servers with the same hash.

// New frames (data of one server) are appended to the end of a history blob. A blob can contain several frames of one
// server about the same hour. After a repeated append, it can even contain the same frame twice.

/** Length of the header of a history blob, in bytes. */
export const HEADER_BYTES = 16;
const FORMAT = 1;
const SALT_AT = 8;
/**
 * Length of the salt in the header of a history blob, in bytes. The salt is the random, secret key of the server
 * hashes.
 */
export const SALT_BYTES = HEADER_BYTES - SALT_AT;
const HASH_BYTES = 6;
const MOST_GENERATIONS = 2 ** 24;

/** The header of a history blob. */
export interface BlobHeader {
  /**
   * Number that changes each time the whole blob is replaced. It shows a reader that the blob was replaced between two
   * reads.
   */
  readonly generation: number;
  /**
   * Length of the blob at the last roll-up (computation of daily figures), in bytes with the header; 0 if there was
   * none.
   */
  readonly rolledBytes: number;
  readonly salt: Buffer;
}

/** Error if a history blob (stored value) is damaged, or has a format that this release does not know. */
export class CorruptBlob extends Error {
  override name = 'CorruptBlob';
}

/** Encodes the header, the first bytes of a history blob. */
export function encodeHeader({ generation, rolledBytes, salt }: BlobHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt8(FORMAT, 0);
  bytes.writeUIntLE(generation % MOST_GENERATIONS, 1, 3);
  bytes.writeUInt32LE(rolledBytes, 4);
  salt.copy(bytes, SALT_AT);
  return bytes;
}

/** Reads the header of a history blob. Throws CorruptBlob if the format of the blob is unknown. */
export function readHeader(bytes: Buffer): BlobHeader {
  if (bytes.length < HEADER_BYTES || bytes[0] !== FORMAT) throw new CorruptBlob('its format is unknown');
  return {
    generation: bytes.readUIntLE(1, 3),
    rolledBytes: bytes.readUInt32LE(4),
    salt: bytes.subarray(SALT_AT, HEADER_BYTES),
  };
}

/**
 * Returns the hash that identifies a server in a history blob, as an integer of 48 bits. `salt`: the salt in the header
 * of this blob.
 */
export function hashServer(salt: Buffer, serverKey: string): number {
  return createHmac('sha256', salt).update(serverKey).digest().readUIntBE(0, HASH_BYTES);
}

/** Encodes a frame: the data of one server in a history blob. `hash`: result of `hashServer` for this server. */
export function encodeFrame(hash: number, body: Buffer): Buffer {
  const head = Buffer.alloc(HASH_BYTES);
  head.writeUIntBE(hash, 0, HASH_BYTES);
  return Buffer.concat([head, encodeVarint32(body.length), body]);
}

/** Returns the length in bytes of a frame with this body. A frame holds data of one server in a history blob. */
export function frameBytes(body: Buffer): number {
  return HASH_BYTES + encodeVarint32(body.length).length + body.length;
}

const varint = new Varint();

/**
 * Calls `visit` with each complete frame (data of one server) in a part of a history blob. `body` is a view of `bytes`.
 * Returns the offset of the end of the last complete frame. Throws CorruptBlob for an invalid length.
 */
export function visitFrames(bytes: Buffer, visit: (hash: number, body: Buffer) => void): number {
  let at = 0;
  while (at + HASH_BYTES < bytes.length) {
    const bodyAt = varint.read(bytes, at + HASH_BYTES, bytes.length, 5);
    if (bodyAt === TOO_LONG) throw new CorruptBlob('a frame has no valid length');
    const end = bodyAt + varint.uint32;
    if (bodyAt === CUT_SHORT || end > bytes.length) break;
    visit(bytes.readUIntBE(at, HASH_BYTES), bytes.subarray(bodyAt, end));
    at = end;
  }
  return at;
}
