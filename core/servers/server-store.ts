import type { RecordPointer } from './record-pointer.ts';
import type { ServerCounters } from './server-counters.ts';
import type { ProbedServer, ServerRecord } from './server-record.ts';

/** A pair of game and address to insert. */
export interface NewServer {
  /** Id of the game in the catalog. */
  gameId: string;
  /** Address in the canonical form `host:port`. */
  address: string;
  /** Id of the token that inserts the server, or `admin` for the operator. */
  insertedBy: string;
  /**
   * Record with which the server is inserted, such as its last record if gsq tracked the server earlier. If absent, the
   * server gets a new record: its status is `pending`, and it is due immediately.
   */
  record?: ServerRecord;
}

/**
 * Result of an insert. `inserted`: inserted durably by this call. `present`: tracked already. `full`: no room for more
 * servers. `refused`: the store accepts no writes now.
 */
export type InsertOutcome = 'inserted' | 'present' | 'full' | 'refused';

/** A lease: the right of a prober to probe one server and to report the result once. */
export interface Lease {
  id: number;
  server: ProbedServer;
}

/** Number of tracked servers, in total and by status, and number of leased servers (given to a prober for a probe). */
export interface StoreStats {
  tracked: number;
  pending: number;
  online: number;
  offline: number;
  leased: number;
}

/**
 * Cache for fragments: encoded parts of answers, one for each server, keyed by index in the server table (slot). A
 * change of the server's record drops its fragment.
 */
export interface FragmentCache {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /**
   * Finds the cached fragment (encoded part of an answer) of a server. It is in `bytes` from `start` to `end`, until
   * the next call of `addFragment`. Returns false if there is none.
   */
  findFragment(slot: number): boolean;
  /**
   * Marks a server as read. Returns true if the server was already read since its last change. Only then is it worth
   * caching the encoded data of the server.
   */
  isReadAgain(slot: number): boolean;
  /**
   * Caches a fragment of the server with this index (`slot`) in the server table. Does nothing if the fragment is
   * larger than the whole cache.
   */
  addFragment(slot: number, fragment: Uint8Array): void;
}

/**
 * All tracked servers, and the times at which their probes are due. Methods that read or lease servers are synchronous.
 * Inserts and removals are durable.
 */
export interface ServerStore {
  /**
   * Finds a server by game id and canonical address (in `text` from `start` to `end`), without allocating memory. Sets
   * `pointer` to its record. Returns false if the server is not tracked.
   */
  find(gameId: string, text: Uint8Array, start: number, end: number, pointer: RecordPointer): boolean;
  /**
   * Finds a server by its key (`serverKey`). Sets `pointer` to the record of the server. Returns false if the server is
   * not tracked.
   */
  findKey(key: string, pointer: RecordPointer): boolean;
  /**
   * Sets `pointer` to the record of the server with this index (slot) in the server table. `slotAt` returns the index
   * of a tracked server.
   */
  locate(slot: number, pointer: RecordPointer): void;
  /**
   * Returns the records of the servers with these keys (`serverKey`), in the same order. The entry of an untracked
   * server is undefined.
   */
  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[];
  /**
   * Inserts servers that are not tracked yet. Resolves to one result per server, in the same order, when all inserts
   * are durable.
   */
  insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]>;
  /**
   * Leases at most `limit` servers to a prober (orders their probes). A server can be leased if it is due, or if its
   * last lease expired.
   */
  leaseDue(limit: number): Lease[];
  /**
   * Returns the current record of the server for which a lease (order to probe) was given, or undefined if the lease
   * has expired. `data` of the record is valid until the next change of the store.
   */
  leased(leaseId: number): ServerRecord | undefined;
  /**
   * Ends leases although their servers were not probed. The servers become due for a probe again, after `delayMs` at
   * the earliest.
   */
  release(leaseIds: Iterable<number>, delayMs?: number): void;
  /**
   * Makes a tracked server due at the time `at`, in ms since the Unix epoch. Has no effect if a prober already has the
   * order to probe the server (a lease), or if the server is due earlier.
   */
  hasten(key: string, at: number): void;
  /**
   * Ends a lease, and replaces the record of the server. Returns false if the lease has expired or the server was
   * removed. `awaitsHistory`: if true, the new record is written to disk only after the history has been written.
   */
  apply(leaseId: number, next: ServerRecord, awaitsHistory?: boolean): boolean;
  /**
   * Makes servers public or private. With GSQ_PAGE_SERVERS=listed, callers without a token see only public servers.
   * Resolves when the change is durable. The result contains true for each server that is tracked. Rejects with
   * NoWrites if the store accepts no writes.
   */
  listPublicly(keys: readonly string[], isPublic: boolean): Promise<boolean[]>;
  /**
   * Removes servers. Resolves when durable, with true for each server that was tracked. Rejects with NoWrites if the
   * store accepts no writes.
   */
  remove(keys: readonly string[]): Promise<boolean[]>;
  /**
   * Returns at most `limit` servers whose key starts with `prefix`, sorted by key. Starts with the first key after
   * `afterKey`, or with the first key if `afterKey` is empty.
   */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
  /**
   * Yields all records from memory, in no particular order. A yielded record is valid until the store changes. A
   * server that is inserted during the iteration can be missing. A server that is removed and inserted again during
   * the iteration can come twice.
   */
  records(): Iterable<ServerRecord>;
  stats(): StoreStats;
  /**
   * Numbers of tracked servers: for each game, and for each firewall label (how the server or its firewall treats
   * probes).
   */
  readonly counters: Pick<ServerCounters, 'label' | 'games'>;
  /** Cache for compressed fragments. A fragment is the part of an answer that describes one server. */
  readonly fragments: FragmentCache;
  /** Cache for fragments as plain JSON. A fragment is the part of an answer that describes one server. */
  readonly plainFragments: FragmentCache;
  /** True if the store accepts inserts and reports at the moment. */
  readonly writable: boolean;
  /** Number of inserts that were refused so far because the store accepted no writes. */
  readonly refused: number;
  /**
   * Writes all changed records that are not stored yet, such as the results of probes in the last minutes. Rejects with
   * NoWrites if the store accepts no writes.
   */
  close(): Promise<void>;
}
