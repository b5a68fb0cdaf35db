import type { ServerRecord, Status } from '../servers/server-record.ts';
import { bucketOfServer } from './buckets.ts';

/** Maximum total size of the server records that are kept for the readers of the change feed, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * Time for which a server counts as new after its insert, ms. In this time, clients that follow the whole game may not
 * know the server yet.
 */
const NEW_MS = 60_000;
/** Estimated memory for a followed server without the data of its records, bytes. Counts towards MAX_BYTES. */
const SERVER_BYTES = 600;

/** What this core knows of a server that readers of the change feed follow. */
export interface KnownServer {
  readonly key: string;
  readonly bucket: number;
  /**
   * The record of this server that the readers of the change feed received last. Undefined if they know that the server
   * is not tracked.
   */
  seen: ServerRecord | undefined;
  /**
   * The status that clients got together with the record `seen`. It can differ from the status that the record
   * contains: for example, answers show the status `pending` for an online server whose data is stale.
   */
  shown: Status | undefined;
  /**
   * False if the feed may have missed changes of the server, for example because another core now owns it. In this
   * case, `seen` can be outdated, and the next change can have an older record version.
   */
  isCurrent: boolean;
  /**
   * True if two clients that follow the server may know different states of it. For example, one of them has read the
   * server while changes were missing from the feed.
   */
  isMixed: boolean;
  /**
   * The newest known record of the server: the one with the highest version. While `isCurrent` is false, versions
   * cannot be compared, so this is the record that was read last.
   */
  newest: ServerRecord | undefined;
  /** Time when this core got the record `newest`, Unix ms. */
  newestAt: number;
}

/**
 * The records that the readers of the change feed have received, one for each followed server. If their total size
 * exceeds the limit, the servers that did not change for the longest time are dropped.
 */
export class KnownRecords {
  readonly #maxBytes: number;
  readonly #servers = new Map<string, KnownServer>();
  #bytes = 0;
  #isComplete = true;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** True if no record was dropped since the last call of `clear`. Records are dropped to limit their total size. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get(key: string): KnownServer | undefined {
    return this.#servers.get(key);
  }

  [Symbol.iterator](): Iterator<KnownServer> {
    return this.#servers.values();
  }

  /**
   * Notes the state of a server that all its followers (clients) have now received. Call this method when the feed has
   * sent them a change.
   *
   * - `record`: the new record of the server, or undefined if it was removed.
   * - `shown`: the status that answers show for the server.
   * - `now`: Unix ms.
   */
  putSent(key: string, record: ServerRecord | undefined, shown: Status | undefined, now: number): void {
    const known = this.#servers.get(key);
    const bucket = known?.bucket ?? bucketOfServer(key);
    // A client may have read a newer record before this change arrived. The newer record is kept, so that no client
    // gets the older one.
    const newest = known?.isCurrent && isOlder(record, known.newest) ? known.newest : record;
    this.delete(key);
    this.#add({ key, bucket, seen: record, shown, isCurrent: true, isMixed: false, newest, newestAt: now });
  }

  /**
   * Replaces the known record of a server by `record`. Call this method when the feed has missed changes of the server,
   * and this core has read its record again. `record` can have a lower version than the known record, because a killed
   * core can lose its last changes. `isCurrent`: false if the feed may have missed more changes.
   */
  putReread(
    key: string,
    record: ServerRecord | undefined,
    shown: Status | undefined,
    isCurrent: boolean,
    now: number,
  ): void {
    const bucket = this.#servers.get(key)?.bucket ?? bucketOfServer(key);
    this.delete(key);
    this.#add({ key, bucket, seen: record, shown, isCurrent, isMixed: false, newest: record, newestAt: now });
  }

  /**
   * Notes the state of a server that one client has just read. `isMissing`: true if the feed may have missed changes of
   * the server. `now`: Unix ms.
   */
  putRead(
    key: string,
    record: ServerRecord | undefined,
    shown: Status | undefined,
    isMissing: boolean,
    now: number,
  ): void {
    const known = this.#servers.get(key);
    if (!known) {
      this.putSent(key, record, shown, now);
      const added = this.#servers.get(key);
      if (!added) return;
      added.isCurrent = !isMissing;
      // Clients may know different states of the server (`isMixed`) in three cases: the feed may have missed a change,
      // the server is new, or records were dropped from memory.
      const isNew = record !== undefined && now - record.insertedAt < NEW_MS;
      added.isMixed = isMissing || isNew || !this.#isComplete;
      return;
    }
    if (!known.isCurrent) known.isMixed = true;
    // Keeps the known record if it has a higher version than the record that was read. If `isCurrent` is false, the two
    // versions cannot be compared, so the record that was read replaces the known one.
    if (known.isCurrent ? isOlder(record, known.newest) : !record) return;
    this.#bytes += sizeOf(record) - sizeOf(known.newest);
    known.newest = record;
    known.newestAt = now;
    this.#dropOldest();
  }

  delete(key: string): void {
    const known = this.#servers.get(key);
    if (!known) return;
    this.#servers.delete(key);
    this.#bytes -= bytesOf(known);
  }

  clear(): void {
    this.#servers.clear();
    this.#bytes = 0;
    this.#isComplete = true;
  }

  #add(known: KnownServer): void {
    this.#servers.set(known.key, known);
    this.#bytes += bytesOf(known);
    this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [key] of this.#servers) {
      if (this.#bytes <= this.#maxBytes) return;
      this.delete(key);
      this.#isComplete = false;
    }
  }
}

function isOlder(record: ServerRecord | undefined, than: ServerRecord | undefined): boolean {
  return record !== undefined && than !== undefined && record.version < than.version;
}

function bytesOf({ seen, newest }: KnownServer): number {
  return SERVER_BYTES + sizeOf(seen) + sizeOf(newest);
}

function sizeOf(record: ServerRecord | undefined): number {
  return record ? record.data.length + record.openHour.length : 0;
}
