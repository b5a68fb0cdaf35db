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
 * Action of a core on servers that it owns. `read`: return the records. `insert`: also insert untracked servers.
 * `check`: dry run of `insert`.
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
   * Resolves when the asked core has answered or can no longer answer. The value is the ServiceError for the waiting
   * fetches; undefined if they can continue.
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
   * Adds a server to the end of the batch of requests to this core. Returns the batch. `typed`: protobuf, not JSON.
   * `text` contains the canonical address from `start` to `end`. Throws ServiceError CORE_1 if too many servers are
   * requested.
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
   * Reads, inserts or checks servers. Results are in the order of `servers`. `insertedBy`: token id or OPERATOR.
   * `waitMs`: maximum wait for first replies. The caller counts the inserts (`InsertGuard.countRate`).
   */
  fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]>;
  /**
   * Changes servers. Resolves when all changes are durable, with true for each tracked server. If one core fails,
   * rejects, but the changes of other cores stay.
   */
  change(change: PartChange, keys: readonly string[]): Promise<boolean[]>;
}
