import type { UnconfirmedServers } from '../../admission/unconfirmed-servers.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { SharedBuckets } from '../bucket-reader.ts';
import type { Operation } from '../storage-engine.ts';

/** Options of `EmbeddedServerStore`. */
export interface EmbeddedServerStoreOptions {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Probe interval of a new server, in milliseconds. */
  probeIntervalMs: number;
  /** Duration of a lease, in milliseconds. */
  leaseMs: number;
  /** Maximum number of tracked servers. */
  maxServers: number;
  /**
   * The buckets of the storage engine, if several cores share the engine. The store then has the servers of some buckets
   * only (`EmbeddedServerStore.buckets`). Absent if the storage engine belongs to this core alone.
   */
  buckets?: SharedBuckets | undefined;
  /**
   * Registry of servers that never answered. The store adds such servers when it loads them, except those of the
   * operator. It drops a server from the registry when the server answers or is removed.
   */
  unconfirmed?: Pick<UnconfirmedServers, 'addServer' | 'drop'>;
  /** Called with the keys of removed servers. Returns operations that are written in the same batch as the removals. */
  onRemove?: (keys: readonly string[]) => Operation[];
  /** Called after each insert of a server. Not called for the servers that `load` reads. */
  onInserted?: (server: ServerRecord) => void;
  /** Called after a server was listed publicly or is no longer listed. The records differ only in `isPublic`. */
  onListed?: (before: ServerRecord, after: ServerRecord) => void;
  /** Called after a server was removed from memory, with its last record. */
  onRemoved?: (server: ServerRecord) => void;
}
