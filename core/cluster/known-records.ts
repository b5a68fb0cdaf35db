import type { ServerRecord, Status } from '../servers/server-record.ts';
import { bucketOfServer } from './buckets.ts';

/** Maximum size of all known records, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Time after its insert in which a server is new: the readers of its game may not have got the insert yet, ms. */
const NEW_MS = 60_000;
/** Size that is counted for a server in addition to the data of its record, bytes. */
const SERVER_BYTES = 600;

/** What this core knows of a server that readers of the change feed follow. */
export interface KnownServer {
  readonly key: string;
  readonly bucket: number;
  /** The record that up-to-date readers have; undefined if they know that the server is not tracked. */
  seen: ServerRecord | undefined;
  /** Status of `seen` as answers showed it when `seen` was sent. */
  shown: Status | undefined;
  /**
   * False if changes of the server may be missing from the feed, for example after its bucket has moved. Then `seen` can
   * be outdated, and says nothing about the version of the next change.
   */
  isCurrent: boolean;
  /** True if readers may have different states of the server, because one of them has read it while changes were missing. */
  isMixed: boolean;
  /**
   * The newest record that was read or received, and the time of that, Unix ms. If `isCurrent` is false, the last record
   * that a reader has got.
   */
  newest: ServerRecord | undefined;
  newestAt: number;
}

/**
 * The records of the followed servers as readers of the change feed have them. The total size is limited: the servers
 * that did not change for the longest time are dropped first.
 */
export class KnownRecords {
  readonly #maxBytes: number;
  readonly #servers = new Map<string, KnownServer>();
  #bytes = 0;
  #isComplete = true;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** False if servers were dropped to limit the size, since the last call of `clear`. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  get(key: string): KnownServer | undefined {
    return this.#servers.get(key);
  }

  [Symbol.iterator](): Iterator<KnownServer> {
    return this.#servers.values();
  }

  /** Notes the state that the feed has just sent to all readers of a server. `now`: Unix ms. */
  putSent(key: string, record: ServerRecord | undefined, shown: Status | undefined, now: number): void {
    const known = this.#servers.get(key);
    const bucket = known?.bucket ?? bucketOfServer(key);
    // A change can arrive after a reader has read a newer record of the server. No reader may get the older record then.
    const newest = known?.isCurrent && isOlder(record, known.newest) ? known.newest : record;
    this.delete(key);
    this.#add({ key, bucket, seen: record, shown, isCurrent: true, isMixed: false, newest, newestAt: now });
  }

  /**
   * Notes the state of a server that was read again after a gap. It replaces all that was known, even if it is older: a
   * core can die before its last changes are stored. `isCurrent`: false if there is another gap already.
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
   * Notes the state that one reader has read. `isMissing`: true if changes of the server may be missing from the feed.
   * `now`: Unix ms.
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
      // The other readers may not have this state: its change was missed, is still on its way, or was dropped here.
      const isNew = record !== undefined && now - record.insertedAt < NEW_MS;
      added.isMixed = isMissing || isNew || !this.#isComplete;
      return;
    }
    if (!known.isCurrent) known.isMixed = true;
    // A reader that has read no record knows less than the others, so the record of the others stays.
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
