import { tagOfBucket } from '../../cluster/buckets.ts';

/**
 * Identifies a blob (stored string with a part of the history): by its bucket (group of servers), and by its name
 * within the bucket.
 */
export interface BlobName {
  readonly bucket: number;
  /**
   * Name of the blob, without spaces. For example, the blob `minutes/2026-11-24T06` contains the samples of the six
   * hours from 06:00 (UTC) on this day.
   */
  readonly name: string;
}

/** A request for a slice (consecutive bytes) of a history blob. */
export interface SliceRequest {
  readonly name: string;
  /** Offset of the slice in the blob, in bytes. */
  readonly from: number;
  /** Maximum length of the slice to read from the blob, in bytes. */
  readonly bytes: number;
}

/** A slice (consecutive bytes) of a history blob, with the length and the header of the whole blob. */
export interface BlobSlice {
  /** Length of the whole blob in bytes; 0 if the blob does not exist. */
  readonly length: number;
  /** The header (first bytes) of the blob; empty if the blob does not exist. */
  readonly header: Buffer;
  readonly bytes: Buffer;
}

/** Frames (entries about single servers) to append to a history blob. */
export interface BlobAppend extends BlobName {
  /**
   * Header that the blob gets if `append` creates it. The header contains a salt, and the server hashes in `frames`
   * must be computed with this salt.
   */
  readonly header: Buffer;
  readonly frames: Buffer;
  /** Time at which the storage engine deletes the blob, Unix ms. */
  readonly expiresAt: number;
}

/** A change of one blob: replaces it (`set`), deletes it (`del`), or only sets a new expiry time (`keep`). */
export interface BlobReplacement {
  readonly name: string;
  /**
   * Length that the stored blob must have before the change, in bytes; 0 if the blob must not exist yet. If the length
   * differs, the change is refused.
   */
  readonly length: number;
  readonly act: 'set' | 'keep' | 'del';
  /** The new blob, with its header, if the change replaces the blob (`act` is `set`). Otherwise empty. */
  readonly blob: Buffer;
  /** Time at which the storage engine deletes the blob, Unix ms. */
  readonly expiresAt: number;
}

/**
 * Stores the blobs of the history (strings in the format of blob-format.ts) in a storage engine. Each blob belongs to a
 * bucket.
 */
export interface BlobStore {
  /**
   * Returns the epoch for writes to a bucket: the number that this core got when it acquired the bucket. Undefined if
   * this core does not own the bucket.
   */
  epochOf(bucket: number): number | undefined;
  /**
   * Reads slices (consecutive bytes) of blobs of one bucket. Any core can own the bucket. Rejects if the storage engine
   * cannot be read.
   */
  readSlices(bucket: number, slices: readonly SliceRequest[]): Promise<BlobSlice[]>;
  /**
   * Appends frames (history of one server each) to blobs of owned buckets, durably. Returns one result for each blob:
   * undefined if the frames were appended. If the stored blob has another format or salt than the frames, nothing is
   * appended to it, and the result is its header. After a rejection, the call can be repeated.
   */
  append(appends: readonly BlobAppend[]): Promise<(Buffer | undefined)[]>;
  /**
   * Changes several blobs of an owned bucket: either all of them or none. Resolves to true when the changes are
   * durable. Resolves to false if a stored blob has an unexpected length; then nothing was changed. Rejects if `epoch`
   * is outdated because the bucket has a newer owner. Also rejects if it is unknown whether the blobs were changed.
   */
  replace(bucket: number, epoch: number, replacements: readonly BlobReplacement[]): Promise<boolean>;
  /**
   * Renames a damaged blob of an owned bucket to its `asideName`, so that it is not read any more. Resolves to false if
   * the stored blob does not begin with `header`. Rejects if it is unknown whether the blob was renamed.
   */
  setAside(blob: BlobName, header: Buffer): Promise<boolean>;
}

/**
 * Returns the key of a history blob in Redis or Valkey. The hash tag in the key puts the blob into the hash slot of its
 * bucket.
 */
export function blobKey({ bucket, name }: BlobName): string {
  return `gsq-history:{${tagOfBucket(bucket)}}:${name}`;
}

/**
 * Returns the new name of a blob that is moved aside because it is damaged. gsq reads no data from a blob with this
 * name.
 */
export function asideName(name: string): string {
  return `damaged/${name}`;
}
