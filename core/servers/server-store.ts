import type { RecordPointer } from './record-codec.ts';
import type { ServerCounters } from './server-counters.ts';
import type { ProbedServer, ServerRecord } from './server-record.ts';

/** A pair to be tracked. */
export interface NewServer {
  /** A catalog id. */
  gameId: string;
  /** Canonical `host:port`. */
  address: string;
  /** Token id, or `admin`. */
  insertedBy: string;
  /** Its record to begin with, if it was tracked before; else it is pending and due at once. */
  record?: ServerRecord;
}

/**
 * `inserted`: by this call, and durable. `present`: it was there or another call won. `full`: the cap is reached.
 * `refused`: the store takes no writes now.
 */
export type InsertOutcome = 'inserted' | 'present' | 'full' | 'refused';

/** The right to probe one server and to report it once. */
export interface Lease {
  id: number;
  server: ProbedServer;
}

export interface StoreStats {
  tracked: number;
  pending: number;
  online: number;
  offline: number;
  leased: number;
}

/**
 * Bytes made of records, kept by slot until the record changes or room runs out. What is found lies in `bytes` from
 * `start` to `end` until something else is kept.
 */
export interface FragmentCache {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  find(slot: number): boolean;
  /** Whether the record of a slot was asked for before since it changed; remembers that it was now. */
  wanted(slot: number): boolean;
  /** In vain where the part is too large. */
  keep(slot: number, part: Uint8Array): void;
}

/** Everything that is tracked, and when it is due. One interface for every storage engine. */
export interface ServerStore {
  /**
   * Finds a server by its catalog id and its canonical address: the bytes of `text` from `start` to `end`. Fills
   * `place` and makes nothing; false where it is not tracked.
   */
  find(gameId: string, text: Uint8Array, start: number, end: number, place: RecordPointer): boolean;
  /** The records of `serverKey`s, in their order; undefined where one is not tracked. */
  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[];
  /** Resolves, in order, when everything `inserted` is durable. */
  insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]>;
  /** Gives out at most `limit` servers that are due, or whose lease ran out. */
  leaseDue(limit: number): Lease[];
  /** What a lease was given for, while it holds. Its data is good until the store is next changed. */
  leased(leaseId: number): ServerRecord | undefined;
  /** Gives leases back unused: their servers are due again. */
  release(leaseIds: Iterable<number>): void;
  /** Makes a tracked server due at a time, in ms since the Unix epoch, unless it is leased or due before. */
  hasten(key: string, at: number): void;
  /** Ends a lease with a newer record; false where the lease ran out or the server changed or went meanwhile. */
  apply(leaseId: number, next: ServerRecord): boolean;
  /** Resolves, in order, to whether each was tracked, when all are durably forgotten. Rejects with NoWrites. */
  remove(keys: readonly string[]): Promise<boolean[]>;
  /** In order of keys, those after `afterKey` (empty: from the start) whose key starts with `prefix`. */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
  /** All servers that are stored, in order of keys. */
  records(): AsyncIterable<ServerRecord>;
  stats(): StoreStats;
  /** The servers by kind. */
  readonly census: Pick<ServerCounters, 'label' | 'games'>;
  /** Compressed fragments of answers, kept beside the records. */
  readonly parts: FragmentCache;
  /** The same as JSON, not compressed. */
  readonly texts: FragmentCache;
  /** Whether inserts and reports can be stored now. */
  readonly writable: boolean;
  /** Inserts refused so far because no writes were taken. */
  readonly refused: number;
  /**
   * Makes durable what reports said and is not yet: a kill may cost the players and times of the last minutes, never a
   * server, its status or label. Rejects when the store cannot write.
   */
  close(): Promise<void>;
}
