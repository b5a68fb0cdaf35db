import type { Logger } from '../../../runtime/log.ts';
import {
  type ConnectionIdentity,
  ConnectionLost,
  type ConnectionOptions,
  EngineConnection,
  EngineReplyError,
} from './engine-connection.ts';
import { type NodeAddress, showAddress } from './engine-url.ts';
import { firstAnswer } from './first-answer.ts';
import { slotOfBucket } from './hash-slots.ts';
import { readSlots, singleNode, type Topology } from './topology.ts';

/**
 * Time to wait for the reply of a node about the cluster topology (which node stores which data), ms. After this time,
 * gsq asks the next node too.
 */
const ASK_NEXT_MS = 300;

export interface EngineNodesDependencies {
  seeds: readonly NodeAddress[];
  options: ConnectionOptions;
  log: Logger;
}

interface NodeConnection {
  opening: Promise<EngineConnection>;
  /** The connection to a node; undefined while it is being opened. */
  connection: EngineConnection | undefined;
}

/**
 * Keeps one connection to each node that it uses, and knows which node is the master of each bucket. A node is a server
 * of the storage engine, a bucket is a part of the store.
 */
export class EngineNodes {
  readonly #dependencies: EngineNodesDependencies;
  #topology: Topology | undefined;
  #refreshing: Promise<void> | undefined;
  /** The connections to the nodes, keyed by the address (`host:port`) of the node. */
  readonly #connections = new Map<string, NodeConnection>();
  /** Lost connections with unanswered commands that the node may still execute. Keyed by the address of the node. */
  readonly #abandoned = new Map<string, ConnectionIdentity[]>();
  #isClosed = false;

  constructor(dependencies: EngineNodesDependencies) {
    this.#dependencies = dependencies;
  }

  /** True if the storage engine is a cluster, false if it is a single node. Known after the first `refresh`. */
  get isCluster(): boolean {
    return this.#topology?.isCluster ?? false;
  }

  /** Returns the address of the node that is the master of a bucket; undefined if no master is known. */
  masterOf(bucket: number): NodeAddress | undefined {
    const master = this.#topology?.masters[slotOfBucket(bucket)];
    return master === undefined ? undefined : this.#topology?.nodes.get(master);
  }

  /** Returns all masters of the storage engine that have hash slots. */
  get masters(): NodeAddress[] {
    const { masters = [], nodes } = this.#topology ?? {};
    return [...new Set(masters)].flatMap(master => nodes?.get(master ?? '') ?? []);
  }

  /** Sets the new master of one hash slot, after a MOVED error. */
  setMaster(slot: number, address: NodeAddress): void {
    if (!this.#topology) return;
    this.#topology.nodes.set(showAddress(address), address);
    this.#topology.masters[slot] = showAddress(address);
  }

  /** Returns the open connection to a node, or opens one. Rejects with ConnectionLost or EngineReplyError. */
  connect(address: NodeAddress): Promise<EngineConnection> {
    const shown = showAddress(address);
    const known = this.#connections.get(shown);
    if (known?.connection?.isOpen === false) this.#abandon(shown, known.connection);
    else if (known) return known.opening;
    const opening = this.#open(address);
    const added: NodeConnection = { opening, connection: undefined };
    this.#connections.set(shown, added);
    opening.then(
      connection => {
        added.connection = connection;
      },
      () => {
        if (this.#connections.get(shown) === added) this.#connections.delete(shown);
      },
    );
    return opening;
  }

  /**
   * Reads and stores the topology of the storage engine. Rejects with ConnectionLost or EngineReplyError if no node
   * answers. If a refresh is already running, waits for it.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Closes the connections to all nodes. Commands without a reply are rejected with ConnectionLost. */
  close(): void {
    this.#isClosed = true;
    for (const { connection } of this.#connections.values()) connection?.close();
  }

  async #refreshOnce(): Promise<void> {
    const asked = this.#candidates().map(address => () => this.#askTopology(address));
    this.#topology = await firstAnswer(asked, ASK_NEXT_MS, error => error instanceof EngineReplyError);
  }

  /**
   * Returns the nodes to ask for the topology. In a cluster, their order is random. In a fixed order, the first node
   * could be one that is cut off from the others and always answers with an old topology.
   */
  #candidates(): NodeAddress[] {
    const { seeds } = this.#dependencies;
    if (!this.#topology?.isCluster) return [...seeds];
    const nodes = new Map(this.#topology.nodes);
    for (const seed of seeds) nodes.set(showAddress(seed), seed);
    return Array.from(nodes.values(), node => ({ node, order: Math.random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ node }) => node);
  }

  async #askTopology(address: NodeAddress): Promise<Topology> {
    const connection = await this.connect(address);
    try {
      return readSlots(await connection.send(['CLUSTER', 'SLOTS']), address);
    } catch (error) {
      if (!(error instanceof EngineReplyError) || !error.message.includes('cluster support disabled'))
        throw error;
    }
    const role = await connection.send(['ROLE']);
    if (Array.isArray(role) && String(role[0]) === 'master') return singleNode(address);
    throw new ConnectionLost(`${showAddress(address)} is a replica`);
  }

  async #open(address: NodeAddress): Promise<EngineConnection> {
    if (this.#isClosed) throw new ConnectionLost('the connections to the storage engine are closed');
    const connection = await EngineConnection.open(address, this.#dependencies.options);
    if (this.#isClosed) connection.close();
    await this.#killAbandoned(showAddress(address), connection);
    return connection;
  }

  #abandon(shown: string, { hasUnanswered, identity }: EngineConnection): void {
    this.#connections.delete(shown);
    this.#dependencies.log.warn(
      { node: shown },
      'store: lost the connection to a node of the storage engine',
    );
    if (!hasUnanswered || !identity) return;
    this.#abandoned.set(shown, [...(this.#abandoned.get(shown) ?? []), identity]);
  }

  /**
   * Makes a node close the lost connections on which it has not answered all commands. Otherwise the node could execute
   * an old write from such a connection after a newer write of the same data.
   */
  async #killAbandoned(shown: string, connection: EngineConnection): Promise<void> {
    for (const { id, address } of this.#abandoned.get(shown) ?? []) {
      try {
        // CLIENT KILL closes a connection only if both its id and its address match. The id alone is not enough,
        // because after a restart the node can give the same id to another connection.
        await connection.send(['CLIENT', 'KILL', 'ID', id, 'ADDR', address]);
      } catch (error) {
        if (!(error instanceof EngineReplyError)) throw error;
        this.#dependencies.log.warn({ node: shown, err: error }, 'store: CLIENT KILL failed');
      }
    }
    this.#abandoned.delete(shown);
  }
}
