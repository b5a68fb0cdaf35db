import type { RenderedServers } from '../../proto/streams/render-service.ts';
import type { AccessChange, AccessNames } from '../credentials/server-credentials.ts';
import type { InvalidPair } from './pair-check.ts';
import type { ServerRecord } from './server-record.ts';

/** A server that is perhaps tracked: the id of its game in the catalog, and its address in the canonical form. */
export interface ServerRef {
  gameId: string;
  address: string;
}

/**
 * What a core must do with servers that it owns. `read`: return the records of tracked servers. `insert`: return the
 * records, and insert servers that are not tracked. `check`: tell which servers `insert` would insert, but insert none.
 */
export type PartAction = 'read' | 'insert' | 'check';

/** What a core returns for one server after it has carried out a `PartAction` (read, insert or check). */
export interface PartResult {
  /**
   * Record of the server, if gsq tracks it, or has given it up because it never answered. Absent for all other servers.
   */
  record?: ServerRecord;
  /** Reason why the server of this result was not inserted. */
  invalid?: InvalidPair;
  /**
   * Result of an action on a server. `insert`: true if the call inserted the server. `check`: true if `insert` would
   * insert the server.
   */
  inserted: boolean;
  /**
   * Result of the action `read`: a summary of the stored credentials (secret and options) of the server. Absent if the
   * server has no credentials.
   */
  access?: AccessNames;
}

/** A request that asks one core to render several servers, and the answer of this core. */
export interface RenderedBatch {
  /**
   * Resolves when the asked core has answered, or when no answer can come any more. The value is the ServiceError with
   * which fetches must fail, or undefined if they need not fail.
   */
  readonly answered: Promise<Error | undefined>;
  /** Number of servers that were added to this request so far. */
  readonly count: number;
  /**
   * The servers that the asked core has rendered, as JSON or protobuf; undefined without an answer. The data of a
   * server is empty if the core does not own or track it.
   */
  readonly rendered: RenderedServers | undefined;
}

/** Another core of the cluster, which can be asked for the servers that it owns. */
export interface ServerOwner {
  /**
   * Requests one server, already encoded for the answer, from this core. Returns the batch of requests, whose last
   * server is the requested one. `typed`: true for protobuf, false for JSON. `text` contains the canonical address from
   * `start` to `end`. Throws ServiceError CORE_1 if too many servers are requested at once.
   */
  render(typed: boolean, gameId: string, text: Buffer, start: number, end: number): RenderedBatch;
}

/**
 * A change that the operator makes to tracked servers. `access`: changes the secret and the options, and makes the
 * servers due for a probe.
 */
export type PartChange =
  | { kind: 'remove' }
  | { kind: 'list'; isPublic: boolean }
  | { kind: 'access'; access: AccessChange };

/**
 * The servers of all cores of a cluster. Each method asks the cores that own the servers, and asks again after a
 * failure or a change of owner. Rejects with ServiceError CORE_1 at the deadline.
 */
export interface ClusterServers {
  /** True if this core does not own the server with this `serverKey`, so another core must be asked. */
  isRemote(key: string): boolean;
  /**
   * Returns the other core that owns the servers at an address. Returns undefined if this core owns them, or if no core
   * does. `text` contains the canonical address from `start` to `end`.
   */
  ownerAt(text: Buffer, start: number, end: number): ServerOwner | undefined;
  /**
   * Returns the deadline of a call that begins now, Unix ms. `waitMs`: maximum time to wait for the first replies of
   * inserted servers, ms.
   */
  deadline(waitMs: number): number;
  /**
   * Reads, inserts or checks servers. The results have the order of `servers`. `insertedBy`: id of the inserting token,
   * or OPERATOR. `waitMs`: maximum wait for the first replies of inserted servers, ms. The caller must count the
   * inserts (`InsertGuard.countRate`).
   */
  fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]>;
  /**
   * Changes servers. Resolves when all changes are durable, with true for each server that gsq tracked. Rejects if one
   * core fails, but other cores may have made the change. A second removal can return false for servers that the first
   * one removed.
   */
  change(change: PartChange, keys: readonly string[]): Promise<boolean[]>;
}
