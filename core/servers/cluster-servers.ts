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
 * Action of a core on servers that it owns. `read`: return the records. `insert`: return the records, after inserting
 * the servers that are not tracked yet. `check`: dry run of `insert`.
 */
export type PartAction = 'read' | 'insert' | 'check';

/** Result of a `PartAction` (read, insert or check) for one server. */
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
   * Resolves to undefined when the asked core has answered, or its connection has ended. If the core did not answer in
   * time, resolves to a ServiceError. The fetches that wait for the answer must then fail with this error.
   */
  readonly answered: Promise<Error | undefined>;
  /** Number of servers that were added to this request so far. */
  readonly count: number;
  /**
   * The servers that the asked core has rendered, as JSON or protobuf. Undefined before the answer of the core, or if
   * no answer came. If the core does not own or track a server, the data of this server is empty.
   */
  readonly rendered: RenderedServers | undefined;
}

/** Another core of the cluster, which can be asked for the servers that it owns. */
export interface ServerOwner {
  /**
   * Adds a server to the next request to its owner, another core. Returns this request. The owner will render all
   * servers of the request. `typed`: true for protobuf, false for JSON. `text` contains the address from `start` to
   * `end`, as the caller wrote it. Throws ServiceError CORE_1 if too many servers already wait for an answer of the
   * owner.
   */
  render(typed: boolean, gameId: string, text: Buffer, start: number, end: number): RenderedBatch;
}

/**
 * A change of tracked servers by the operator. `remove`: removes the servers. `list`: changes whether the servers are
 * publicly listed. `access`: changes the secrets and options of the servers, and makes the servers due for a probe.
 */
export type PartChange =
  | { kind: 'remove' }
  | { kind: 'list'; isPublic: boolean }
  | { kind: 'access'; access: AccessChange };

/**
 * The servers of all cores of a cluster. Each method asks the cores that own the servers. After a failure or a change
 * of owner, it asks again. If there is no result at the deadline, it rejects with ServiceError CORE_1.
 */
export interface ClusterServers {
  /**
   * True while this core is paused: its lease may have ended. Other cores may meanwhile have changed its servers, so
   * the records in its memory must not be returned.
   */
  readonly isPaused: boolean;
  /** True if this core does not own the server with this `serverKey`, so another core must be asked. */
  isRemote(key: string): boolean;
  /**
   * Returns the core that owns the servers at an address, or undefined if this core itself or no core owns them. `text`
   * contains the address from `start` to `end`. If the address is not canonical, the result can be a core that does not
   * own the server.
   */
  ownerAt(text: Buffer, start: number, end: number): ServerOwner | undefined;
  /**
   * Returns the deadline of a call that begins now, Unix ms. `waitMs`: maximum time to wait for the first replies of
   * inserted servers, ms.
   */
  deadline(waitMs: number): number;
  /**
   * Reads, inserts or checks servers at the cores that own them. Resolves to one result for each server, in the order
   * of `servers`. `insertedBy`: token id or OPERATOR. `waitMs`: maximum time to wait for the first replies of inserted
   * servers, ms. Before a call of this method, the caller must count the inserts against the rate limits of the token
   * (`InsertGuard.countRate`).
   */
  fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]>;
  /**
   * Changes servers at the cores that own them. Resolves when all changes are durable. The result contains one value
   * for each server: true if it was tracked. Rejects if one core fails. The changes that other cores have made are then
   * not undone.
   */
  change(change: PartChange, keys: readonly string[]): Promise<boolean[]>;
}
