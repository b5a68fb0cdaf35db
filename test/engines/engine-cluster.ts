import { rmSync } from 'node:fs';
import { Authority } from '../system/certificates.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { keepSecret } from '../system/transcript.ts';
import { until } from '../system/until.ts';
import { clusterFault } from './cluster-view.ts';
import { documentedRights, refusedCommands, STORE_USER } from './documented-user.ts';
import { EngineNode, type Login, type NodeSetup } from './engine-node.ts';
import type { EngineKind } from './engine-program.ts';

const MASTERS = 3;
const SLOTS = 16_384;
const SETTLED_MS = 60_000;

export interface EngineOptions {
  /**
   * If true, each node of Redis or Valkey writes an append-only file, and so keeps its data when it restarts. The
   * default is false.
   */
  appendOnly?: boolean;
  /**
   * A master refuses writes if it has fewer linked replicas than this number (min-replicas-to-write). The default is 0.
   */
  minReplicasToWrite?: number;
  /** Memory limit of each node in bytes. At the limit, the node refuses writes. The default is no limit. */
  maxMemory?: number;
  /**
   * If given, clients must log in to the nodes with this user and password. If only a password is given, the user is
   * `default`, which every Redis or Valkey has. Without `login`, clients use the user that docs/scaling.md creates for
   * gsq.
   */
  login?: { user?: string; password: string };
  /**
   * If true, clients and nodes use TLS, and `EngineCluster.ca` is the path of the CA certificate. Only possible with
   * Redis, because the Valkey of the tests is built without TLS.
   */
  tls?: boolean;
  /** If true, a `Partition` can cut a node off from the other nodes. The default is false. */
  ownSources?: boolean;
  /** More lines for the configuration file of each node. */
  config?: readonly string[];
}

/** A cluster of Redis or Valkey on 127.0.0.1 for a test, or a single node without cluster mode. */
export class EngineCluster {
  readonly kind: EngineKind;
  /**
   * The nodes of the cluster: first the three that were masters at the start, then the replicas. A failover does not
   * change this order.
   */
  readonly nodes: readonly EngineNode[];
  /** Path of the certificate of the CA that signed the certificates of the nodes. Undefined without TLS. */
  readonly ca: string | undefined;
  readonly #setup: NodeSetup;
  readonly #isCluster: boolean;

  private constructor(setup: NodeSetup, nodes: readonly EngineNode[], isCluster: boolean) {
    this.kind = setup.kind;
    this.nodes = nodes;
    this.ca = setup.ca;
    this.#setup = setup;
    this.#isCluster = isCluster;
  }

  /** Starts a cluster of three masters, each with one replica. Resolves when the cluster is settled (see `settled`). */
  static async start(kind: EngineKind, options: EngineOptions = {}): Promise<EngineCluster> {
    const setup = setupOf(kind, options, [
      'cluster-enabled yes',
      'cluster-node-timeout 3000',
      // By default, Redis can move a replica to a master that has none. This is switched off, because tests rely on
      // fixed pairs of master and replica.
      'cluster-allow-replica-migration no',
    ]);
    const cluster = new EngineCluster(setup, await startNodes(setup, 2 * MASTERS), true);
    try {
      await join(cluster.nodes);
      await cluster.settled();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Starts a single Redis or Valkey without cluster mode. Resolves when it answers. */
  static async startSingle(kind: EngineKind, options: EngineOptions = {}): Promise<EngineCluster> {
    const setup = setupOf(kind, options, []);
    return new EngineCluster(setup, await startNodes(setup, 1), false);
  }

  /**
   * URL of the cluster with the addresses of all nodes: `redis://user:password@host:port,host:port,…`, or `rediss://…`
   * with TLS. Without `EngineOptions.login`, the user has only the rights that docs/scaling.md gives to gsq.
   */
  get url(): string {
    return this.urlOf(this.#setup.login ?? STORE_USER);
  }

  /** URL of the cluster (see `url`) with another user and password. */
  urlOf({ user, password }: Login): string {
    const hosts = this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const scheme = this.#setup.ca === undefined ? 'redis' : 'rediss';
    return `${scheme}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${hosts}`;
  }

  /** The live masters of the cluster, according to the last call of `settled`. */
  get masters(): EngineNode[] {
    return this.nodes.filter(({ role, live }) => role === 'master' && live);
  }

  /** State and recent output of all nodes of the cluster, for error messages. */
  get report(): string {
    return this.nodes.map(node => node.report).join('\n');
  }

  /** Returns the master that owns a hash slot, according to the last call of `settled`. */
  ownerOf(slot: number): EngineNode {
    const owns = ({ slots }: EngineNode) => slots.some(([first, last]) => first <= slot && slot <= last);
    const owner = this.#isCluster ? this.nodes.find(owns) : this.nodes[0];
    if (!owner) throw new Error(`no node owns slot ${slot}`);
    return owner;
  }

  /** Returns a live replica of a master, according to the last call of `settled`. */
  replicaOf(master: EngineNode): EngineNode {
    const replica = this.nodes.find(node => node.live && node.master === master);
    if (!replica) throw new Error(`${master.port} has no live replica`);
    return replica;
  }

  /**
   * Waits until the Redis or Valkey cluster is settled (see `clusterFault`): a replica has replaced each killed or
   * paused master. Then updates `role`, `slots` and `master` of the nodes. Rejects after a minute.
   */
  async settled(): Promise<void> {
    if (!this.#isCluster) return;
    try {
      const look = () => clusterFault(this.nodes);
      await until('a settled cluster', look, fault => fault === undefined, SETTLED_MS);
    } catch (error) {
      throw new Error(`${error}\n${this.report}`, { cause: error });
    }
  }

  /**
   * Kills a node of the cluster (SIGKILL). Resolves when its process has ended. Use `settled` to wait until a replica
   * has taken over.
   */
  kill(node: EngineNode): Promise<void> {
    return node.kill();
  }

  /** Pauses the process of a node (SIGSTOP). */
  pause(node: EngineNode): void {
    node.pause();
  }

  /** Continues the process of a paused node (SIGCONT). */
  resume(node: EngineNode): void {
    node.resume();
  }

  /**
   * Starts a killed node again, or restarts a running one (SIGTERM). Resolves when the node answers. Without
   * `appendOnly`, the node loses its data. The replicas of a master without data lose their data too.
   */
  restart(node: EngineNode): Promise<void> {
    return node.restart();
  }

  /** Restarts all nodes of the cluster at the same time (SIGTERM). Resolves when the cluster is settled. */
  async restartAll(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.restart()));
    await this.settled();
  }

  /**
   * Kills all nodes of the cluster and removes their data. Rejects if a live node has refused a command of gsq because
   * the user that docs/scaling.md creates lacks a right.
   */
  async stop(): Promise<void> {
    const refused = await refusedCommands(this.nodes.filter(({ live }) => live));
    await Promise.all(this.nodes.map(node => node.kill()));
    rmSync(this.#setup.directory, { recursive: true, force: true });
    if (refused.length > 0)
      throw new Error(`the user of docs/scaling.md has no right for ${refused.join(', ')}`);
  }
}

async function startNodes(setup: NodeSetup, count: number): Promise<EngineNode[]> {
  const starts = await Promise.allSettled(Array.from({ length: count }, () => EngineNode.start(setup)));
  const nodes = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = starts.find(start => start.status === 'rejected');
  if (failed) {
    await Promise.all(nodes.map(node => node.kill()));
    throw failed.reason;
  }
  return nodes;
}

function setupOf(kind: EngineKind, options: EngineOptions, lines: readonly string[]): NodeSetup {
  const directory = scratchDirectory();
  const login = options.login && { user: 'default', ...options.login };
  keepSecret((login ?? STORE_USER).password);
  const ca = options.tls ? new Authority(directory) : undefined;
  const config = [
    'save ""',
    `appendonly ${options.appendOnly ? 'yes' : 'no'}`,
    `min-replicas-to-write ${options.minReplicasToWrite ?? 0}`,
    `maxmemory ${options.maxMemory ?? 0}`,
    'repl-diskless-sync-delay 0',
    ...lines,
    ...(login
      ? loginLines(login)
      : [`user ${STORE_USER.user} on >${STORE_USER.password} ${documentedRights(kind)}`]),
    ...(ca ? tlsLines(kind, ca) : []),
    ...(options.config ?? []),
  ];
  return { kind, directory, config, login, ca: ca?.path, ownSources: options.ownSources ?? false };
}

function loginLines({ user, password }: Login): string[] {
  const nodes = [`masterauth ${password}`, ...(user === 'default' ? [] : [`masteruser ${user}`])];
  if (user === 'default') return [`requirepass ${password}`, ...nodes];
  return ['user default off', `user ${user} on >${password} ~* &* +@all`, ...nodes];
}

function tlsLines(kind: EngineKind, authority: Authority): string[] {
  if (kind === 'valkey') throw new Error('the Valkey of scripts/install-engines.sh has no TLS');
  const { certificate, key } = authority.issue('engine', ['127.0.0.1']);
  return [
    `tls-cert-file ${certificate}`,
    `tls-key-file ${key}`,
    `tls-ca-cert-file ${authority.path}`,
    'tls-auth-clients no',
    'tls-replication yes',
    'tls-cluster yes',
  ];
}

/**
 * Forms a cluster of running nodes. The first three nodes become masters. The remaining nodes become their replicas.
 */
async function join(nodes: readonly EngineNode[]): Promise<void> {
  const [first, ...others] = nodes;
  if (!first) return;
  await Promise.all(
    nodes.map(async (node, i) => {
      const slots = [i, i + 1].map(part => Math.floor((part * SLOTS) / MASTERS));
      const [from = 0, end = 0] = slots;
      await node.command('CLUSTER', 'SET-CONFIG-EPOCH', String(i + 1));
      if (i < MASTERS) await node.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(end - 1));
      node.id = String(await node.command('CLUSTER', 'MYID'));
    }),
  );
  await first.commands(
    ...others.map(({ port, busPort }) => ['CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort)]),
  );
  const follow = async (replica: EngineNode, master: EngineNode) => {
    const ask = () => replica.command('CLUSTER', 'REPLICATE', master.id).catch(String);
    await until(`the node ${replica.port} as a replica`, ask, answer => answer === 'OK');
  };
  await Promise.all(
    nodes.slice(MASTERS).map((replica, i) => {
      const master = nodes[i];
      return master && follow(replica, master);
    }),
  );
}
