import type { ServerRecord } from '../servers/server-record.ts';

/** Reads records of servers of all cores. */
export interface ClusterRecords {
  /**
   * Returns the records of servers in the order of `keys`. Reads each record from the core that owns the server.
   * Rejects with ServiceError CORE_1 if an owner does not answer.
   */
  readRecords(keys: readonly string[]): Promise<readonly (ServerRecord | undefined)[]>;
  /**
   * Returns at most `limit` servers of all cores whose key starts with `prefix`, sorted by key, beginning after
   * `afterKey`. Rejects with ServiceError CORE_1 if a core does not answer.
   */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
}
