import type { UnconfirmedServers } from '../../admission/unconfirmed-servers.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { SharedBuckets } from '../bucket-reader.ts';
import type { Operation } from '../storage-engine.ts';

/** Options of `EmbeddedServerStore` (keeps all server records in memory, and stores them). */
export interface EmbeddedServerStoreOptions {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now: () => number;
  /** Probe interval of a new server, in milliseconds. */
  probeIntervalMs: number;
  /**
   * Maximum time until a prober reports the result of a probe, in milliseconds. After this time, the server is due for
   * a probe again.
   */
  leaseMs: number;
  /** Maximum number of servers that the store can track. */
  maxServers: number;
  /**
   * The buckets (groups of servers) of a store on Redis or Valkey, which several cores can share. The server store in
   * memory then contains only the servers in the buckets that this core owns. Undefined for the embedded store, whose
   * servers all belong to one core.
   */
  buckets?: SharedBuckets | undefined;
  /**
   * Registry of unconfirmed servers (servers that never answered). The server store adds each unconfirmed server that
   * it loads, except servers that the operator inserted. It takes a server out of the registry when the server answers
   * or is removed.
   */
  unconfirmed?: Pick<UnconfirmedServers, 'addServer' | 'drop'>;
  /** Called with the keys of removed servers. Returns operations that are written in the same batch as the removals. */
  onRemove?: (keys: readonly string[]) => Operation[];
  /** Called after each insert of a server. Not called for the servers that `load` reads. */
  onInserted?: (server: ServerRecord) => void;
  /**
   * Called after a server was added to the public list or removed from it. `before` and `after` differ only in
   * `isPublic`.
   */
  onListed?: (before: ServerRecord, after: ServerRecord) => void;
  /** Called after a server was removed from memory. `server`: the last record of the server. */
  onRemoved?: (server: ServerRecord) => void;
}
