import type { ServerRecord } from '../servers/server-record.ts';

/** Reads records of servers of all cores. */
export interface ClusterRecords {
  /**
   * Returns the records of servers in the order of `keys`. Reads each record from the core that owns the server.
   * Rejects with ServiceError CORE_1 if an owner does not answer.
   */
  readRecords(keys: readonly string[]): Promise<readonly (ServerRecord | undefined)[]>;
  /**
   * Yields all server keys with this prefix, from all cores, sorted, in pages of `size` keys. Only the last page has
   * fewer keys; it may be empty.
   */
  keyPages(prefix: string, size: number): AsyncIterable<readonly string[]>;
}
