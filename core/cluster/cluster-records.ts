import type { ServerRecord } from '../servers/server-record.ts';

/** Reads records of servers of all cores. */
export interface ClusterRecords {
  /**
   * Returns the records of servers in the order of `keys`. Reads each record from the core that owns the server.
   * Rejects with ServiceError CORE_1 if an owner does not answer.
   */
  readRecords(keys: readonly string[]): Promise<readonly (ServerRecord | undefined)[]>;
  /** Lists the servers of all cores like `ServerStore.list`. Rejects like `readRecords`. */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
}
