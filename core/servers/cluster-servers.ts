import type { AccessChange, AccessNames } from '../credentials/server-credentials.ts';
import type { InvalidPair } from './pair-check.ts';
import type { ServerRecord } from './server-record.ts';

/** A server that is perhaps tracked: the id of its game in the catalog, and its address in the canonical form. */
export interface ServerRef {
  gameId: string;
  address: string;
}

/**
 * What the owner of servers must do with them. `read`: return the records of tracked servers. `insert`: also insert
 * servers that are not tracked. `check`: the same as `insert`, without an insert.
 */
export type PartAction = 'read' | 'insert' | 'check';

/** The result of a `PartAction` for one server. */
export interface PartResult {
  /** Record of the server. Absent if the server is not tracked, and gsq did not give it up. */
  record?: ServerRecord;
  /** Why the server was not inserted. */
  invalid?: InvalidPair;
  /** `insert`: true if the call inserted the server. `check`: true if `insert` would insert the server. */
  inserted: boolean;
  /** `read`: summary of the stored secret and options of the server; absent if it has neither. */
  access?: AccessNames;
}

/** A change of tracked servers. `access`: changes the secret and the options, and makes the servers due. */
export type PartChange =
  | { kind: 'remove' }
  | { kind: 'list'; isPublic: boolean }
  | { kind: 'access'; access: AccessChange };

/**
 * The servers of all cores of a cluster. Each method asks the cores that own the servers. If a core cannot answer, or a
 * server changes its owner, the method asks again. It rejects with ServiceError CORE_1 if it has no answer at the
 * deadline.
 */
export interface ClusterServers {
  /** True if this core does not own the server with this `serverKey`, so another core must be asked. */
  isRemote(key: string): boolean;
  /** Returns the deadline of a call that begins now, Unix ms. `waitMs`: as in `fetch`. */
  deadline(waitMs: number): number;
  /**
   * Reads, inserts or checks servers. The results have the order of `servers`. `insertedBy`: id of the token that
   * inserts the servers, or OPERATOR. `waitMs`: maximum time to wait for the first replies of inserted servers, ms. The
   * rates per token (`InsertGuard.countRate`) are not counted; the caller must count them.
   */
  fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]>;
  /**
   * Changes servers. Resolves when all changes are durable. The result for each server is true if it was tracked. If
   * one owner fails, the method rejects, but the servers of the other owners can already be changed. If the connection
   * to an owner breaks after a removal, the second attempt finds no server, and the result is false.
   */
  change(change: PartChange, keys: readonly string[]): Promise<boolean[]>;
}
