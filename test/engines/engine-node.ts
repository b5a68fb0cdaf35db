import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort } from '../peers/free-port.ts';
import { Child } from '../system/child.ts';
import { until } from '../system/until.ts';
import { type EngineKind, engineProgram } from './engine-program.ts';

/** Ports that this process has given to a node. A port stays with its node when the node is down. */
const taken = new Set<number>();
const PORT_TRIES = 5;
/**
 * Never connected, only duplicated. `createClient` builds a class of its own for each port, which takes 45 ms of CPU
 * time; a duplicate shares the class, and takes 0.03 ms.
 */
const template = createClient({ RESP: 2 });
const IN_USE = /Address already in use/;

/** A range of slots of a cluster, with both ends. */
export type SlotRange = readonly [first: number, last: number];

/** The name and the password with which clients and nodes log in. */
export interface Login {
  user: string;
  password: string;
}

/** What a node needs to start. */
export interface NodeSetup {
  kind: EngineKind;
  /** An existing folder. The node creates its own folder in it. */
  directory: string;
  /** Lines of the configuration file, without the lines for ports, folder and addresses. */
  config: readonly string[];
  login: Login | undefined;
  /** Path of the certificate of the authority, if the node speaks TLS. */
  ca: string | undefined;
  /** If true, each node connects to the other nodes from an address of its own (see `EngineNode.source`). */
  ownSources: boolean;
}

/** One server process of Redis or Valkey on 127.0.0.1. The process ends when the test process ends, however it ends. */
export class EngineNode {
  readonly port: number;
  readonly busPort: number;
  /** The role, as of the last `EngineCluster.settled`. */
  role: 'master' | 'replica' = 'master';
  /** The slots that the node owns, as of the last `EngineCluster.settled`. A replica owns no slots. */
  slots: readonly SlotRange[] = [];
  /** The master of a replica, as of the last `EngineCluster.settled`. */
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

  /** Starts a node on free ports. Resolves when it answers. */
  static async start(setup: NodeSetup): Promise<EngineNode> {
    for (let tries = 1; ; tries++) {
      const node = new EngineNode(setup, await ownPort(), await ownPort());
      try {
        await node.start();
        return node;
      } catch (error) {
        await node.kill();
        // Another process can take a port between the look for a free port and the start.
        if (tries === PORT_TRIES || !IN_USE.test(String(error))) throw error;
      }
    }
  }

  /** The process id. Throws if the node never ran. */
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
   * The address from which the node connects to other nodes, if the setup has `ownSources`. It is different for each
   * node, so that a partition can tell the packets of the nodes apart.
   */
  get source(): string {
    return `127.1.${this.port >> 8}.${this.port & 255}`;
  }

  /** State and recent output of the process, for error messages. */
  get report(): string {
    return this.#child?.report ?? `the node ${this.port} never ran`;
  }

  /** Starts the process with the data that it had before. Resolves when the node answers and has loaded its data. */
  async start(): Promise<void> {
    if (this.running) return;
    const { path, env } = engineProgram(this.#setup.kind);
    const config = join(this.#directory, 'engine.conf');
    writeFileSync(config, `${this.#configLines().join('\n')}\n`, { mode: 0o600 });
    // The kernel kills the node when the test process ends, so a killed test leaves no process behind.
    const child = await Child.start('setpriv', () => ['--pdeathsig', 'KILL', path, config], { env });
    this.#child = child;
    this.#paused = false;
    const answers = async () => {
      if (!child.running) throw new Error(child.report);
      return this.command('PING').catch(String);
    };
    await until(`${this.#setup.kind} on port ${this.port}`, answers, answer => answer === 'PONG');
  }

  /** Kills the process (SIGKILL), also if it is paused. Resolves when it has ended. */
  async kill(): Promise<void> {
    await this.#child?.stop('SIGKILL');
  }

  /** Stops the execution of the process (SIGSTOP). Its connections stay open. */
  pause(): void {
    this.#child?.signal('SIGSTOP');
    this.#paused = true;
  }

  /** Continues a paused process (SIGCONT). */
  resume(): void {
    this.#child?.signal('SIGCONT');
    this.#paused = false;
  }

  /** Ends the process in an orderly way (SIGTERM), if it runs, and starts it with the same data and ports. */
  async restart(): Promise<void> {
    if (this.#paused) this.resume();
    await this.#child?.stop();
    await this.start();
  }

  /** Sends one command on a new connection. Rejects with the error of the node, or if there is no answer for 5 s. */
  command(...args: string[]): Promise<unknown> {
    return this.commands(args).then(([answer]) => answer);
  }

  /**
   * Sends commands one after the other on one new connection. Resolves with the answers. Rejects at the first error of
   * the node, or if an answer does not come for 5 s.
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
    // Each failure also rejects the command or the connection.
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
      // Other nodes would otherwise learn the source address as the address of the node.
      ...(this.#setup.ownSources
        ? [
            `bind-source-addr ${this.source}`,
            'cluster-announce-ip 127.0.0.1',
            'replica-announce-ip 127.0.0.1',
            // Redis 7.0 otherwise accepts connections only from the address 127.0.0.1. It still listens only there.
            'protected-mode no',
          ]
        : []),
      ...(this.#setup.config.includes('cluster-enabled yes') ? [`cluster-port ${this.busPort}`] : []),
    ];
  }
}

async function ownPort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (!taken.has(port)) {
      taken.add(port);
      return port;
    }
  }
}
