import { HEADER_BYTES } from '../../../../core/store/history-blobs/blob-format.ts';
import {
  asideName,
  type BlobAppend,
  type BlobReplacement,
  type BlobSlice,
  type BlobStore,
  type SliceRequest,
} from '../../../../core/store/history-blobs/blob-store.ts';

interface StoredBlob {
  bytes: Buffer;
  expiresAt: number;
}

/** Result of a read of a history blob (byte string) that does not exist. */
const NO_BLOB: BlobSlice = { length: 0, header: Buffer.alloc(0), bytes: Buffer.alloc(0) };

/**
 * Stores history blobs (byte strings with the history of servers) in memory instead of in a storage engine. Several
 * cores of a test can share these blobs.
 */
export class MemoryBlobs {
  /** The history blobs, keyed by bucket (group of servers) and name. */
  readonly blobs = new Map<string, StoredBlob>();
  /** For each bucket of servers, the number of the core that owns it. Buckets without an entry belong to core 0. */
  readonly owners = new Map<number, number>();
  /** Epoch (fencing number) of each bucket of servers, by default 1. Each new owner of a bucket gets a higher epoch. */
  readonly epochs = new Map<number, number>();
  readonly #now: () => number;
  /** The error with which all writes of history blobs fail; undefined if writes succeed. */
  failure: Error | undefined;
  /** If true, a write that fails with `failure` stores its data anyway. This simulates a lost reply. */
  storesFailed = false;
  readonly reads: SliceRequest[][] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the blob store of one core. All cores read and write the same blobs. */
  of(core: number): BlobStore {
    const owns = (bucket: number): boolean => (this.owners.get(bucket) ?? 0) === core;
    const epochOf = (bucket: number): number | undefined =>
      owns(bucket) ? (this.epochs.get(bucket) ?? 1) : undefined;
    return {
      epochOf,
      readSlices: async (bucket, slices) => this.#read(bucket, slices),
      append: async appends => {
        if (!appends.every(({ bucket }) => owns(bucket))) throw new Error('a bucket has a different owner');
        return this.#write(() => appends.map(each => this.#append(each)));
      },
      replace: async (bucket, epoch, replacements) => {
        if (epochOf(bucket) !== epoch) throw new Error('the bucket has a different owner');
        return this.#write(() => this.#replace(bucket, replacements));
      },
      setAside: async ({ bucket, name }, header) => {
        if (!owns(bucket)) throw new Error('the bucket has a different owner');
        return this.#write(() => this.#setAside(bucket, name, header));
      },
    };
  }

  #write<T>(work: () => T): T {
    if (this.failure && !this.storesFailed) throw this.failure;
    const result = work();
    if (this.failure) throw this.failure;
    return result;
  }

  #find(bucket: number, name: string): StoredBlob | undefined {
    const place = `${bucket} ${name}`;
    const blob = this.blobs.get(place);
    if (!blob || blob.expiresAt > this.#now()) return blob;
    this.blobs.delete(place);
    return undefined;
  }

  #read(bucket: number, slices: readonly SliceRequest[]): BlobSlice[] {
    this.reads.push([...slices]);
    return slices.map(({ name, from, bytes }) => {
      const blob = this.#find(bucket, name)?.bytes;
      if (!blob) return NO_BLOB;
      const slice = Buffer.from(blob.subarray(from, from + bytes));
      return { length: blob.length, header: Buffer.from(blob.subarray(0, HEADER_BYTES)), bytes: slice };
    });
  }

  #append({ bucket, name, header, frames, expiresAt }: BlobAppend): Buffer | undefined {
    const stored = this.#find(bucket, name);
    const old = stored?.bytes ?? header;
    if (old[0] !== header[0] || !old.subarray(8, HEADER_BYTES).equals(header.subarray(8)))
      return old.subarray(0, HEADER_BYTES);
    if (stored && old.subarray(-frames.length).equals(frames)) return undefined;
    this.blobs.set(`${bucket} ${name}`, { bytes: Buffer.concat([old, frames]), expiresAt });
    return undefined;
  }

  #setAside(bucket: number, name: string, header: Buffer): boolean {
    const stored = this.#find(bucket, name);
    if (!stored?.bytes.subarray(0, HEADER_BYTES).equals(header)) return false;
    this.blobs.delete(`${bucket} ${name}`);
    this.blobs.set(`${bucket} ${asideName(name)}`, stored);
    return true;
  }

  #replace(bucket: number, replacements: readonly BlobReplacement[]): boolean {
    const lengthOf = (name: string): number => this.#find(bucket, name)?.bytes.length ?? 0;
    if (replacements.some(({ name, length }) => lengthOf(name) !== length)) return false;
    for (const { name, act, blob, expiresAt } of replacements) {
      const place = `${bucket} ${name}`;
      const old = this.blobs.get(place);
      if (act === 'del') this.blobs.delete(place);
      else if (act === 'set') this.blobs.set(place, { bytes: blob, expiresAt });
      else if (old) old.expiresAt = expiresAt;
    }
    return true;
  }
}
