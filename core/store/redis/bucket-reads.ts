import {
  ACCOUNT_BUCKET_NUMBERS,
  ALL_BUCKETS,
  bucketOf,
  isServerKind,
  splitEntryKey,
} from '../../cluster/buckets.ts';
import type { StoredEntry } from '../storage-engine.ts';
import type { BucketCall, BucketCalls } from './bucket-calls.ts';
import { entryKeyOf, HASH_PATTERN, hashKey, kindOfHash } from './buckets.ts';
import type { Reply } from './engine-connection.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { repeat } from './repetition.ts';
import { mergeSorted } from './sorted-merge.ts';

/**
 * Number of buckets (parts of the store) that are read at once. In a store with a million servers, 128 buckets contain
 * about 30,000 servers, or 15 MB of memory.
 */
const BUCKETS_AT_ONCE = 128;
/** Number of values that the method `entries` reads in one step. */
const PAGE = 500;
/** Number of keys that Redis or Valkey looks at for one SCAN command. */
const SCAN_COUNT = 1_000;
/**
 * If a failover of the storage engine interrupts a read, the read is repeated for at most this time, in milliseconds.
 */
const RETRY_MS = 4_000;
/**
 * Time for which a core repeats a failed read when it loads buckets, ms. It is longer than any failover, because a core
 * that cannot load its buckets must end.
 */
const LOAD_RETRY_MS = 30_000;

/** The indexes of all buckets. A bucket is a part of the store, and one core owns it. */
export const EVERY_BUCKET: readonly number[] = Array.from({ length: ALL_BUCKETS }, (_, bucket) => bucket);

interface FoundKey {
  key: string;
  bucket: number;
}

/** Reads the entries of a store on Redis or Valkey. A core can read every bucket, even if another core owns it. */
export class BucketReads {
  readonly #nodes: EngineNodes;
  readonly #calls: BucketCalls;

  constructor(nodes: EngineNodes, calls: BucketCalls) {
    this.#nodes = nodes;
    this.#calls = calls;
  }

  /**
   * Calls `visit` with each entry whose key starts with `prefix`, one bucket after the other. Entries of servers are
   * read only from the buckets in `servers`. All other entries, such as tokens, are always read.
   */
  async visitAll(
    prefix: string,
    servers: readonly number[],
    visit: (key: string, value: Buffer) => void,
  ): Promise<void> {
    for (const kind of await this.#kindsOf(prefix)) {
      const buckets = isServerKind(kind) ? servers : ACCOUNT_BUCKET_NUMBERS;
      await this.#visitKind(kind, buckets, prefix, visit);
    }
  }

  /** Visits the entries of the given buckets whose key starts with `prefix`, one bucket after the other. */
  async visitBuckets(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void> {
    for (const kind of await this.#kindsOf(prefix))
      await this.#visitKind(kind, buckets, prefix, visit, LOAD_RETRY_MS);
  }

  async #visitKind(
    kind: string,
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
    retryMs?: number,
  ): Promise<void> {
    const commandOf = (bucket: number): string[] => ['HGETALL', hashKey(bucket, kind)];
    for await (const { reply } of this.#readBuckets(buckets, commandOf, retryMs)) {
      for (const [key, value] of entriesOf(kind, reply)) if (key.startsWith(prefix)) visit(key, value);
    }
  }

  /** Yields the entries whose key starts with `prefix` and is greater than `after`, from all buckets, in key order. */
  async *entries(prefix: string, after: string): AsyncGenerator<StoredEntry, undefined> {
    const found: FoundKey[][] = [];
    for (const kind of await this.#kindsOf(prefix)) {
      for await (const { bucket, reply } of this.#readBuckets(EVERY_BUCKET, bucket => [
        'HKEYS',
        hashKey(bucket, kind),
      ])) {
        const keys = asList(reply)
          .map(field => entryKeyOf(kind, String(field)))
          .filter(key => key.startsWith(prefix) && key > after);
        if (keys.length > 0) found.push(keys.sort().map(key => ({ key, bucket })));
      }
    }
    let page: FoundKey[] = [];
    for (const one of mergeSorted(found, (a, b) => a.key < b.key)) {
      page.push(one);
      if (page.length < PAGE) continue;
      yield* await this.#entriesOf(page);
      page = [];
    }
    yield* await this.#entriesOf(page);
  }

  /** Returns the entries with these keys, in the same order. Leaves out entries that are not stored any more. */
  async #entriesOf(page: readonly FoundKey[]): Promise<StoredEntry[]> {
    const values = await this.#valuesOf(page);
    return page.flatMap(({ key }): StoredEntry[] => {
      const value = values.get(key);
      return value ? [[key, value]] : [];
    });
  }

  /** Yields all entries of the store in pieces. A piece contains the entries of one kind in one bucket. */
  async *pieces(): AsyncGenerator<StoredEntry[], undefined> {
    for (const kind of await this.#kindsOf('')) {
      for await (const { reply } of this.#readBuckets(EVERY_BUCKET, bucket => [
        'HGETALL',
        hashKey(bucket, kind),
      ])) {
        const entries = entriesOf(kind, reply);
        if (entries.length > 0) yield entries;
      }
    }
  }

  /** Returns the values of the entries with these keys. If an entry is not stored, its key is not in the map. */
  getMany(keys: readonly string[]): Promise<Map<string, Buffer>> {
    return this.#valuesOf(keys.map(key => ({ key, bucket: bucketOf(key) })));
  }

  async #valuesOf(found: readonly FoundKey[]): Promise<Map<string, Buffer>> {
    const byHash = new Map<string, FoundKey[]>();
    for (const one of found) {
      const hash = hashKey(one.bucket, splitEntryKey(one.key).kind);
      const list = byHash.get(hash);
      if (list) list.push(one);
      else byHash.set(hash, [one]);
    }
    const lists = [...byHash];
    const calls = lists.map(([hash, list]) =>
      readCall(list[0]?.bucket ?? 0, ['HMGET', hash, ...list.map(({ key }) => splitEntryKey(key).field)]),
    );
    await this.#calls.run(calls, performance.now() + RETRY_MS);
    const values = new Map<string, Buffer>();
    for (const [i, [, list]] of lists.entries()) {
      const replies = asList(calls[i]?.reply);
      for (const [j, { key }] of list.entries()) {
        const value = replies[j];
        if (Buffer.isBuffer(value)) values.set(key, value);
      }
    }
    return values;
  }

  /**
   * Executes one Redis command for each bucket, and yields the replies. Sends the commands for the next group of
   * buckets while the caller uses the replies of one group.
   */
  async *#readBuckets(
    buckets: readonly number[],
    commandOf: (bucket: number) => string[],
    retryMs = RETRY_MS,
  ): AsyncGenerator<BucketCall, undefined> {
    const readFrom = async (first: number): Promise<BucketCall[]> => {
      const calls = buckets
        .slice(first, first + BUCKETS_AT_ONCE)
        .map(bucket => readCall(bucket, commandOf(bucket)));
      await this.#calls.run(calls, performance.now() + retryMs);
      return calls;
    };
    let next = readFrom(0);
    for (let first = BUCKETS_AT_ONCE; ; first += BUCKETS_AT_ONCE) {
      const calls = await next;
      if (first < buckets.length) {
        next = readFrom(first);
        // Handles a failure of `next`, the read of the next buckets. If the caller stops early, nobody awaits `next`,
        // and its failure would be an unhandled rejection. A caller that continues still gets the error.
        next.catch(() => {});
      }
      yield* calls;
      if (first >= buckets.length) return;
    }
  }

  /** Returns the kinds of entries whose keys can start with `prefix`, in order. */
  async #kindsOf(prefix: string): Promise<string[]> {
    if (prefix.includes('/')) return [splitEntryKey(prefix).kind];
    const kinds = await repeat(() => this.#allKinds(), performance.now() + RETRY_MS);
    return kinds.filter(kind => `${kind}/`.startsWith(prefix) || kind === '').sort();
  }

  async #allKinds(): Promise<string[]> {
    await this.#nodes.refresh();
    const kinds = new Set<string>();
    for (const master of this.#nodes.masters) {
      const connection = await this.#nodes.connect(master);
      let cursor = '0';
      do {
        const command = ['SCAN', cursor, 'MATCH', HASH_PATTERN, 'COUNT', String(SCAN_COUNT)];
        const [next, keys] = asList(await connection.send(command));
        for (const key of asList(keys)) {
          const kind = kindOfHash(String(key));
          if (kind !== undefined) kinds.add(kind);
        }
        cursor = String(next);
      } while (cursor !== '0');
    }
    return [...kinds];
  }
}

function readCall(bucket: number, command: readonly string[]): BucketCall {
  return { bucket, command, isDurable: false };
}

/**
 * Converts the reply of HGETALL to store entries, in key order. The Redis hash contains the entries of one kind in one
 * bucket.
 */
function entriesOf(kind: string, reply: Reply | undefined): StoredEntry[] {
  const list = asList(reply);
  const entries: StoredEntry[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    const value = list[i + 1];
    if (Buffer.isBuffer(value)) entries.push([entryKeyOf(kind, String(list[i])), value]);
  }
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}

function asList(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? reply : [];
}
