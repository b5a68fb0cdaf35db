import type { RecordPointer } from './record-pointer.ts';
import type { ServerCounters } from './server-counters.ts';
import type { ProbedServer, ServerRecord } from './server-record.ts';

/** A pair to insert. */
export interface NewServer {
  /** A catalog id. */
  gameId: string;
  /** The canonical `host:port`. */
  address: string;
  /** Token id, or `admin`. */
  insertedBy: string;
  /** Its first record, if it was tracked before; otherwise it is pending and due at once. */
  record?: ServerRecord;
}

/**
 * `inserted`: by this call, and durable. `present`: it was there, or another call inserted it. `full`: the limit is
 * reached. `refused`: the store takes no writes now.
 */
export type InsertOutcome = 'inserted' | 'present' | 'full' | 'refused';

/** The right to probe one server and to report it once. */
export interface Lease {
  id: number;
  server: ProbedServer;
}

/** How many servers are tracked, by status, and how many are leased. */
export interface StoreStats {
  tracked: number;
  pending: number;
  online: number;
  offline: number;
  leased: number;
}

/**
 * Compressed fragments of answers, kept by slot until the record changes or room runs out. A fragment that was found lies
 * in `bytes` from `start` to `end` until another is added.
 */
export interface FragmentCache {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Sets `start` and `end`; false if there is no fragment of a slot. */
  findFragment(slot: number): boolean;
  /** Returns whether the record of a slot was read before since its last change, and remembers this read. */
  isReadAgain(slot: number): boolean;
  /** Adds the fragment of a slot, unless it is larger than the cache. */
  addFragment(slot: number, fragment: Uint8Array): void;
}

/** All tracked servers, and when each is due: reads and leases are synchronous, inserts and removals durable. */
export interface ServerStore {
  /**
   * Finds a server by its catalog id and its canonical address: the bytes of `text` from `start` to `end`. Sets
   * `pointer` to its record and allocates nothing; false if it is not tracked.
   */
  find(gameId: string, text: Uint8Array, start: number, end: number, pointer: RecordPointer): boolean;
  /** Sets `pointer` to the record of the slot of a tracked server. Slots come from `slotAt`. */
  locate(slot: number, pointer: RecordPointer): void;
  /** The records of `serverKey`s, in their order; undefined if one is not tracked. */
  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[];
  /** Resolves, in order, when everything `inserted` is durable. */
  insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]>;
  /** Leases at most `limit` servers that are due, or whose lease expired. */
  leaseDue(limit: number): Lease[];
  /** The record that a lease was given for; undefined once it expired. Its data is valid until the store changes next. */
  leased(leaseId: number): ServerRecord | undefined;
  /** Ends leases whose servers were not probed: they are due again. */
  release(leaseIds: Iterable<number>): void;
  /** Makes a tracked server due at a time, in ms since the Unix epoch, unless it is leased or due before. */
  hasten(key: string, at: number): void;
  /** Ends a lease with a newer record; false if the lease expired or the server was removed. */
  apply(leaseId: number, next: ServerRecord): boolean;
  /** Resolves when all are removed durably, in order to whether each was tracked. Rejects with NoWrites. */
  remove(keys: readonly string[]): Promise<boolean[]>;
  /** A page of servers whose key starts with `prefix`, in order of keys, behind `afterKey` (empty: from the start). */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
  /** All servers that are stored, in order of keys. */
  records(): AsyncIterable<ServerRecord>;
  stats(): StoreStats;
  /** How many servers there are of each label and game. */
  readonly counters: Pick<ServerCounters, 'label' | 'games'>;
  /** Compressed fragments of answers, by slot. */
  readonly fragments: FragmentCache;
  /** The same fragments as plain JSON. */
  readonly plainFragments: FragmentCache;
  /** Whether inserts and reports can be stored now. */
  readonly writable: boolean;
  /** Inserts refused so far because no writes were taken. */
  readonly refused: number;
  /**
   * Writes reported data that is not stored yet. (A kill may lose the players and times of the last minutes,
   * never a server, its status or its label.) Rejects with NoWrites.
   */
  close(): Promise<void>;
}
