import assert from 'node:assert/strict';
import type { BucketReader } from '../../../core/store/bucket-reader.ts';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { type DurableEntries, MapEngine } from './map-engine.ts';

/**
 * The stored entries (keys and values) that several simulated cores share. `owners` contains the owner of each bucket
 * (group of servers): the core that may write to it.
 */
export interface SharedEntries {
  readonly durable: DurableEntries;
  readonly owners: Map<number, string>;
  /** Returns the number of the bucket (group of entries) to which the entry with this storage key belongs. */
  readonly bucketOf: (storedKey: string) => number;
}

/**
 * The access of one core to the entries of a simulated disk. The test fails if the core writes to a bucket of entries
 * that belongs to another core.
 */
class EntriesOfCore extends Map<string, Buffer> {
  readonly #shared: SharedEntries;
  readonly #core: string;

  constructor(shared: SharedEntries, core: string) {
    super();
    this.#shared = shared;
    this.#core = core;
  }

  override get(key: string): Buffer | undefined {
    return this.#shared.durable.get(key);
  }

  override set(key: string, value: Buffer): this {
    this.#checkOwner(key);
    this.#shared.durable.set(key, value);
    return this;
  }

  override delete(key: string): boolean {
    this.#checkOwner(key);
    return this.#shared.durable.delete(key);
  }

  override keys(): MapIterator<string> {
    return this.#shared.durable.keys();
  }

  override [Symbol.iterator](): MapIterator<[string, Buffer]> {
    return this.#shared.durable[Symbol.iterator]();
  }

  #checkOwner(key: string): void {
    const owner = this.#shared.owners.get(this.#shared.bucketOf(key));
    assert.equal(owner, this.#core, `core ${this.#core} writes ${key}, which belongs to core ${owner}`);
  }
}

/**
 * The storage engine of one simulated core. Several cores share the stored entries, and each core writes only to its
 * own buckets (groups of entries).
 */
export class SharedEngine extends MapEngine implements BucketReader {
  readonly #shared: SharedEntries;
  /**
   * If true, `append` accepts operations but never stores them. This simulates a write that fails after `append` has
   * returned.
   */
  losesAppends = false;

  constructor(shared: SharedEntries, core: string) {
    super(new EntriesOfCore(shared, core));
    this.#shared = shared;
  }

  async readBuckets(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void> {
    await new Promise(setImmediate);
    const wanted = new Set(buckets);
    for (const [key, value] of this.#shared.durable) {
      if (key.startsWith(prefix) && wanted.has(this.#shared.bucketOf(key))) visit(key, Buffer.from(value));
    }
  }

  override append(operation: Operation): boolean {
    return (this.losesAppends && this.refusal === undefined) || super.append(operation);
  }
}
