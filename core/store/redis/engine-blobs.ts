import {
  asideName,
  type BlobAppend,
  type BlobName,
  type BlobReplacement,
  type BlobSlice,
  type BlobStore,
  blobKey,
  type SliceRequest,
} from '../history-blobs/blob-store.ts';
import { type BucketCall, type BucketCalls, FenceDiffers } from './bucket-calls.ts';
import { fenceKey } from './buckets.ts';
import type { Fence } from './fence.ts';
import { APPEND_SCRIPT, READ_SCRIPT, REPLACE_SCRIPT, SET_ASIDE_SCRIPT } from './history-scripts.ts';
import type { Script } from './scripts.ts';

/**
 * If a failover of the storage engine interrupts a read of the history, the read is repeated for at most this time, ms.
 */
const READ_MS = 3_000;
/**
 * A failed write of the history is repeated for at most this time, ms. Then the data stays in a queue until a later
 * flush.
 */
const WRITE_MS = 1_000;
const NOTHING = Buffer.alloc(0);

/**
 * The functions of a RedisStore with which the history reads and writes the buckets (groups of servers) of this store.
 */
export interface BucketAccess {
  /**
   * Returns the fence (fencing token) with which this process writes to a bucket. Undefined if this process does not
   * own the bucket.
   */
  fenceOf(bucket: number): Fence | undefined;
  /**
   * Calls `work` with the object that executes commands of the store. Resolves or rejects like `work`. If a command
   * shows that another process now owns a bucket, the store refuses all later writes.
   */
  run<T>(work: (calls: BucketCalls) => Promise<T>): Promise<T>;
}

/** Stores the history in Redis or Valkey, as blobs: strings with the history of many servers. */
export class EngineBlobs implements BlobStore {
  readonly #access: BucketAccess;

  constructor(access: BucketAccess) {
    this.#access = access;
  }

  epochOf(bucket: number): number | undefined {
    return this.#access.fenceOf(bucket)?.epoch;
  }

  async readSlices(bucket: number, slices: readonly SliceRequest[]): Promise<BlobSlice[]> {
    const keys = slices.map(({ name }) => blobKey({ bucket, name }));
    const ranges = slices.flatMap(({ from, bytes }) => [String(from), String(from + bytes - 1)]);
    const command = ['EVALSHA', READ_SCRIPT.sha, String(keys.length), ...keys, ...ranges];
    const call: BucketCall = { bucket, command, isDurable: false };
    await this.#access.run(calls => calls.run([call], performance.now() + READ_MS));
    const reply = Array.isArray(call.reply) ? call.reply : [];
    return slices.map((_, i) => ({
      length: Number(reply[3 * i]),
      header: bufferOf(reply[3 * i + 1]),
      bytes: bufferOf(reply[3 * i + 2]),
    }));
  }

  async append(appends: readonly BlobAppend[]): Promise<(Buffer | undefined)[]> {
    const byBucket = new Map<number, BlobAppend[]>();
    for (const each of appends) {
      const list = byBucket.get(each.bucket);
      if (list) list.push(each);
      else byBucket.set(each.bucket, [each]);
    }
    const calls = Array.from(byBucket, ([bucket, list]) =>
      this.#write(APPEND_SCRIPT, bucket, list, ({ header, frames, expiresAt }) => [
        header,
        frames,
        String(expiresAt),
      ]),
    );
    await this.#access.run(all => all.run(calls, performance.now() + WRITE_MS));
    const headers = new Map<BlobAppend, Buffer>();
    for (const [i, list] of [...byBucket.values()].entries()) {
      const reply = calls[i]?.reply;
      for (const [j, each] of list.entries()) headers.set(each, bufferOf(Array.isArray(reply) && reply[j]));
    }
    return appends.map(each => {
      const header = headers.get(each);
      return header && header.length > 0 ? header : undefined;
    });
  }

  async replace(bucket: number, epoch: number, replacements: readonly BlobReplacement[]): Promise<boolean> {
    if (this.epochOf(bucket) !== epoch) throw new FenceDiffers([]);
    const call = this.#write(REPLACE_SCRIPT, bucket, replacements, ({ length, expiresAt, act, blob }) => [
      String(length),
      String(expiresAt),
      act,
      blob,
    ]);
    await this.#access.run(calls => calls.run([call], performance.now() + WRITE_MS));
    return Number(call.reply) === 1;
  }

  async setAside({ bucket, name }: BlobName, header: Buffer): Promise<boolean> {
    const fence = this.#access.fenceOf(bucket);
    if (!fence) throw new FenceDiffers([]);
    const keys = [fenceKey(bucket), blobKey({ bucket, name }), blobKey({ bucket, name: asideName(name) })];
    const command = ['EVALSHA', SET_ASIDE_SCRIPT.sha, String(keys.length), ...keys, fence.text, header];
    const call: BucketCall = { bucket, command, isDurable: true };
    await this.#access.run(calls => calls.run([call], performance.now() + WRITE_MS));
    return Number(call.reply) === 1;
  }

  /**
   * Returns the command that runs a Lua script. The script writes history blobs (stored strings) of one bucket. Throws
   * FenceDiffers if this process does not own the bucket.
   */
  #write<T extends { name: string }>(
    { sha }: Script,
    bucket: number,
    blobs: readonly T[],
    argumentsOf: (blob: T) => (string | Buffer)[],
  ): BucketCall {
    const fence = this.#access.fenceOf(bucket);
    if (!fence) throw new FenceDiffers([]);
    const keys = [fenceKey(bucket), ...blobs.map(({ name }) => blobKey({ bucket, name }))];
    const command = ['EVALSHA', sha, String(keys.length), ...keys, fence.text, ...blobs.flatMap(argumentsOf)];
    return { bucket, command, isDurable: true };
  }
}

function bufferOf(reply: unknown): Buffer {
  return Buffer.isBuffer(reply) ? reply : NOTHING;
}
