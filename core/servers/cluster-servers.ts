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
   * Result of the action on a server. For the action `insert`: true if the call inserted the server. For the action
   * `check`: true if `insert` would insert the server.
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
   * Resolves when the other core has answered this request, or when no answer can come any more. The value is the error
   * (ServiceError) with which fetches of the requested servers must fail. The value is undefined if they need not fail.
   */
  readonly answered: Promise<Error | undefined>;
  /** Number of servers that were added to this request so far. */
  readonly count: number;
  /**
   * The answer of the core that was asked; undefined if there is no answer. It contains the rendered data (JSON or
   * protobuf) of each server of this request. The data of a server is empty if the asked core does not own or does not
   * track the server.
   */
  readonly rendered: RenderedServers | undefined;
}

/** Another core of the cluster, which can be asked for the servers that it owns. */
export interface ServerOwner {
  /**
   * Asks the core to render a server for the answer to a fetch. Adds the server to a batch: a message that contains the
   * servers of one turn of the event loop. Returns the batch, in which this server is the last one. `typed`: true for a
   * protobuf message, false for JSON. `text` contains the canonical address from `start` to `end`. Throws ServiceError
   * CORE_1 if too many servers are asked for at the same time.
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
 * The servers of all cores of a cluster. Each method asks the cores that own the servers. If a core cannot answer, or a
 * server changes its owner, the method asks again. It rejects with ServiceError CORE_1 if it has no answer at the
 * deadline.
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
   * Reads, inserts or checks servers. The results have the order of `servers`. `insertedBy`: id of the token that
   * inserts the servers, or OPERATOR. `waitMs`: maximum time to wait for the first replies of inserted servers, ms.
   * This method does not count the inserts against the rates of the token (`InsertGuard.countRate`); the caller must do
   * this.
   */
  fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]>;
  /**
   * Changes servers. Resolves when all changes are durable. The result for each server is true if gsq tracked the
   * server. If one core fails, this method rejects, but other cores may have changed their servers already. A removal
   * can succeed although the connection to the owner breaks. The repeated removal then finds no server, so its result
   * is false.
   */
  change(change: PartChange, keys: readonly string[]): Promise<boolean[]>;
}
