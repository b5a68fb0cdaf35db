import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort } from '../peers/free-port.ts';
import { Child } from '../system/child.ts';
import { until } from '../system/until.ts';
import { type EngineKind, engineProgram } from './engine-program.ts';

const PORT_TRIES = 5;
/**
 * A Redis client that never connects. `EngineNode` makes its clients as duplicates of it, to save time. A duplicate
 * takes 0.03 ms of CPU time. A call of `createClient` with changed options takes 45 ms.
 */
const template = createClient({ RESP: 2 });
const IN_USE = /Address already in use/;

/** A range of hash slots of a cluster. Both `first` and `last` belong to the range. */
export type SlotRange = readonly [first: number, last: number];

/**
 * User name and password of a node (a server process of Redis or Valkey). Clients and other nodes log in to the node
 * with them.
 */
export interface Login {
  user: string;
  password: string;
}

/** Settings with which a node (a server process of Redis or Valkey) starts. */
export interface NodeSetup {
  kind: EngineKind;
  /** An existing folder, in which each node creates its own subfolder. */
  directory: string;
  /** Lines of the configuration file of a node, without the lines for ports, folder and addresses. */
  config: readonly string[];
  login: Login | undefined;
  /** Path of the certificate of the certificate authority, if the nodes use TLS. */
  ca: string | undefined;
  /** If true, each node connects to the other nodes from an address of its own (see `EngineNode.source`). */
  ownSources: boolean;
}

/**
 * One server process of Redis or Valkey on 127.0.0.1. The server process ends when the test process ends, even if the
 * test process is killed.
 */
export class EngineNode {
  readonly port: number;
  readonly busPort: number;
  /** The role of the node in its cluster, according to the last call of `EngineCluster.settled`. */
  role: 'master' | 'replica' = 'master';
  /**
   * The hash slots that the node owns, according to the last call of `EngineCluster.settled`. A replica owns no slots.
   */
  slots: readonly SlotRange[] = [];
  /** If the node is a replica: its master, according to the last call of `EngineCluster.settled`. */
  master: EngineNode | undefined;
  /** True while a partition cuts the node off from the other nodes (see `Partition`). */
  isCutOff = false;
  /** Name of the node in its cluster: 40 hexadecimal digits. Empty for a node without a cluster. */
  id = '';
  readonly #setup: NodeSetup;
  readonly #directory: string;
  #child: Child | undefined;
  #paused = false;

  private constructor(setup: NodeSetup, port: number, busPort: number) {
    this.#setup = setup;
    this.port = port;
    this.busPort = busPort;
    this.#directory = join(setup.directory, String(port));
    mkdirSync(this.#directory);
  }

  /** Starts a node on free ports. Resolves when the node answers. */
  static async start(setup: NodeSetup): Promise<EngineNode> {
    for (let tries = 1; ; tries++) {
      const node = new EngineNode(setup, await freePort(), await freePort());
      try {
        await node.start();
        return node;
      } catch (error) {
        await node.kill();
        // Tries other ports if another process already uses one of the ports that were chosen for the node.
        if (tries === PORT_TRIES || !IN_USE.test(String(error))) throw error;
      }
    }
  }

  /** The process id of the node. Throws if the node never ran. */
  get pid(): number {
    if (!this.#child) throw new Error(`the node ${this.port} never ran`);
    return this.#child.pid;
  }

  get running(): boolean {
    return this.#child?.running === true;
  }

  /** True if the node runs, can answer, and is not cut off from the other nodes. */
  get live(): boolean {
    return this.running && !this.#paused && !this.isCutOff;
  }

  /**
   * Source address of the connections from this node to other nodes, if `NodeSetup.ownSources` is true. Each node has a
   * different source address, so a simulated network partition can drop the packets of one node only.
   */
  get source(): string {
    return `127.1.${this.port >> 8}.${this.port & 255}`;
  }

  /** State and recent output of the process of the node, for error messages. */
  get report(): string {
    return this.#child?.report ?? `the node ${this.port} never ran`;
  }

  /**
   * Starts the process of this Redis or Valkey node. Resolves when the node answers and has loaded its data from disk.
   */
  async start(): Promise<void> {
    if (this.running) return;
    const { path, env } = engineProgram(this.#setup.kind);
    const config = join(this.#directory, 'engine.conf');
    writeFileSync(config, `${this.#configLines().join('\n')}\n`, { mode: 0o600 });
    // With setpriv, the kernel kills the node when the test process ends, so a killed test leaves no process behind.
    const child = await Child.start('setpriv', () => ['--pdeathsig', 'KILL', path, config], { env });
    this.#child = child;
    this.#paused = false;
    const answers = async () => {
      if (!child.running) throw new Error(child.report);
      return this.command('PING').catch(String);
    };
    await until(`${this.#setup.kind} on port ${this.port}`, answers, answer => answer === 'PONG');
  }

  /** Kills the process of the node (SIGKILL), even if it is paused. Resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
  }

  /** Pauses the process of the node (SIGSTOP). Its connections stay open. */
  pause(): void {
    this.#child?.signal('SIGSTOP');
    this.#paused = true;
  }

  /** Continues the paused process of the node (SIGCONT). */
  resume(): void {
    this.#child?.signal('SIGCONT');
    this.#paused = false;
  }

  /**
   * Ends the process of the node in an orderly way (SIGTERM), if it runs. Then starts the node with the same data and
   * ports.
   */
  async restart(): Promise<void> {
    if (this.#paused) this.resume();
    await this.#child?.stop();
    await this.start();
  }

  /**
   * Sends one command to the node, on a new connection. Rejects with the error of the node, or if the node does not
   * answer within 5 s.
   */
  command(...args: string[]): Promise<unknown> {
    return this.commands(args).then(([answer]) => answer);
  }

  /**
   * Sends commands to the node, one after the other on one new connection. Resolves with the answers. Rejects at the
   * first error of the node, or if an answer does not come for 5 s.
   */
  async commands(...commands: string[][]): Promise<unknown[]> {
    const { login, ca } = this.#setup;
    const address = {
      host: '127.0.0.1',
      port: this.port,
      reconnectStrategy: false,
      connectTimeout: 5_000,
    } as const;
    const client = template.duplicate({
      ...(login && { username: login.user, password: login.password }),
      socket: ca === undefined ? address : { ...address, tls: true, ca: readFileSync(ca) },
    });
    // Ignores the error events of the Redis client. Each such error also makes `connect` or `sendCommand` reject, so no
    // error is lost.
    client.on('error', () => {});
    try {
      await client.connect();
      const answers: unknown[] = [];
      for (const command of commands) answers.push(await client.sendCommand(command));
      return answers;
    } finally {
      client.destroy();
    }
  }

  #configLines(): string[] {
    const port = this.#setup.ca === undefined ? 'port' : 'tls-port';
    return [
      ...(port === 'tls-port' ? ['port 0'] : []),
      `${port} ${this.port}`,
      'bind 127.0.0.1',
      `dir ${this.#directory}`,
      ...this.#setup.config,
      // Makes the other nodes connect to 127.0.0.1, because this node listens only there. By default, they would
      // connect to the source address of this node.
      ...(this.#setup.ownSources
        ? [
            `bind-source-addr ${this.source}`,
            'cluster-announce-ip 127.0.0.1',
            'replica-announce-ip 127.0.0.1',
            // Turns protected mode off: in this mode, Redis 7.0 accepts only connections from 127.0.0.1, so it would
            // refuse the other nodes, which have other source addresses. Redis still listens only on 127.0.0.1.
            'protected-mode no',
          ]
        : []),
      ...(this.#setup.config.includes('cluster-enabled yes') ? [`cluster-port ${this.busPort}`] : []),
    ];
  }
}
