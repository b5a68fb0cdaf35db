import { randomBytes } from 'node:crypto';
import {
  type BlobHeader,
  encodeFrame,
  encodeHeader,
  frameBytes,
  HEADER_BYTES,
  hashServer,
  SALT_BYTES,
} from './blob-format.ts';
import type { BlobReader } from './blob-reader.ts';
import type { BlobReplacement } from './blob-store.ts';

/**
 * The content of a history blob (a stored value), in memory. The blob consists of frames with history of one server
 * each.
 */
export class BlobContent {
  readonly #header: BlobHeader;
  /** Length of the stored blob, in bytes; 0 if the blob is not stored. */
  readonly length: number;
  readonly #frames = new Map<number, Buffer[]>();
  /**
   * For each server (keyed by its hash): how many of its frames (pieces of history) the daily figures already include.
   */
  readonly #rolled = new Map<number, number>();
  #last = { key: '', hash: 0 };
  /** Length in bytes of the blob so far: its header, and all frames that were added. */
  #end = HEADER_BYTES;

  constructor(header: BlobHeader, length: number) {
    this.#header = header;
    this.length = length;
  }

  /** Returns an empty blob. It stands for a blob that is not stored. */
  static missing(): BlobContent {
    return new BlobContent({ generation: 0, rolledBytes: 0, salt: randomBytes(SALT_BYTES) }, 0);
  }

  /**
   * Adds a copy of a frame (a piece of the history of one server) that was read from the stored blob. Call this method
   * for each frame, in the order of the blob.
   */
  add(hash: number, body: Buffer): void {
    this.#end += frameBytes(body);
    if (this.#end <= this.#header.rolledBytes) this.#rolled.set(hash, (this.#rolled.get(hash) ?? 0) + 1);
    const bodies = this.#frames.get(hash);
    if (bodies) bodies.push(Buffer.from(body));
    else this.#frames.set(hash, [Buffer.from(body)]);
  }

  /** For each server in the blob: its hash, and the bodies of its frames (pieces of its history), the oldest first. */
  get frames(): Iterable<[hash: number, bodies: readonly Buffer[]]> {
    return this.#frames;
  }

  /**
   * Returns the hash of a server in this blob. Caches the last hash, because a roll-up (computation of daily figures)
   * needs the hash of the same server several times.
   */
  hashOf(serverKey: string): number {
    if (serverKey !== this.#last.key)
      this.#last = { key: serverKey, hash: hashServer(this.#header.salt, serverKey) };
    return this.#last.hash;
  }

  /** Returns the frames of a server, but only frames that the daily figures already include. */
  rolledBodiesOf(serverKey: string): readonly Buffer[] {
    return this.bodiesOf(serverKey).slice(0, this.#rolled.get(this.hashOf(serverKey)) ?? 0);
  }

  /** Returns the contents (bodies) of all frames of a server in this blob, the oldest first. */
  bodiesOf(serverKey: string): readonly Buffer[] {
    return this.#frames.size === 0 ? [] : (this.#frames.get(this.hashOf(serverKey)) ?? []);
  }

  /**
   * Returns a change that replaces the stored blob. `bodies`: contents of the new frames (history of one server each).
   * `isRolled`: the daily figures include all samples in these frames.
   */
  replacement(
    name: string,
    bodies: readonly (readonly [hash: number, body: Buffer])[],
    expiresAt: number,
    isRolled = false,
  ): BlobReplacement {
    const { length } = this;
    if (bodies.length === 0) return { name, length, act: 'del', blob: Buffer.alloc(0), expiresAt };
    const frames = Buffer.concat(bodies.map(([hash, body]) => encodeFrame(hash, body)));
    const header = encodeHeader({
      generation: this.#header.generation + 1,
      rolledBytes: isRolled ? HEADER_BYTES + frames.length : 0,
      salt: this.#header.salt,
    });
    return { name, length, act: 'set', blob: Buffer.concat([header, frames]), expiresAt };
  }
}

/**
 * Reads the complete blobs of a bucket that have the names `names`. Returns the blobs in the same order. Rejects like
 * `BlobReader.visit`.
 */
export async function readContents(
  reader: BlobReader,
  bucket: number,
  names: readonly string[],
): Promise<BlobContent[]> {
  const found = new Map<string, BlobContent>();
  await reader.visit(bucket, names, (name, header, length) => {
    const content = new BlobContent({ ...header, salt: Buffer.from(header.salt) }, length);
    found.set(name, content);
    return (hash, body) => content.add(hash, body);
  });
  return names.map(name => found.get(name) ?? BlobContent.missing());
}
