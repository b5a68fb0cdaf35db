import { setTimeout as pause } from 'node:timers/promises';
import { A2sServer } from '../../system/a2s-server.ts';
import { until } from '../../system/until.ts';
import { RestFetchClient } from './rest-fetch-client.ts';
import type { Seat } from './seat.ts';
import { udpPortsOf } from './udp-ports.ts';

const GAME = 'csgo';
const SERVERS = 36;
/** Longest time for which a prober waits for a reply to a UDP query, in milliseconds. */
const QUERY_MS = 2_000;
const ONLINE_MS = 60_000;
/** Pause between two fetches of all servers, in milliseconds. */
const BETWEEN_READS_MS = 200;

/** The last query that a game server received from a prober. */
interface Question {
  /** Process id of the prober that sent the query. */
  readonly pid: number;
  /** Time at which the query arrived, in milliseconds of performance.now(). */
  readonly at: number;
  readonly isQuiet: boolean;
}

/**
 * Fake game servers that all probers probe. Each server has its own host, so the servers are spread over all cores.
 * Queries of two probers count as simultaneous if less than QUERY_MS lie between them.
 */
export class ProbedServers {
  /**
   * True while there is no fault and gsq works normally. Two probers must then never query a game server
   * simultaneously.
   */
  isQuiet = false;
  /**
   * Number of times that two probers queried the same game server simultaneously because of a fault: the first of the
   * two queries arrived during a fault.
   */
  duringFaults = 0;
  /** Messages about game servers that two probers queried simultaneously, although there was no fault at that time. */
  readonly faults: string[] = [];
  readonly #servers: readonly A2sServer[];
  readonly #probers: readonly Seat[];
  readonly #clients: readonly RestFetchClient[];
  readonly #last = new Map<A2sServer, Question>();
  readonly #pids = new Map<number, number>();
  #names = 0;

  private constructor(servers: readonly A2sServer[], probers: readonly Seat[], gateways: readonly string[]) {
    this.#servers = servers;
    this.#probers = probers;
    this.#clients = gateways.map(http => new RestFetchClient(http, GAME));
    for (const server of servers) server.onQuestion = port => this.#note(server, port);
    // Forgets which prober uses which UDP port, because a new prober process can get the ports of an ended one.
    for (const prober of probers) prober.onStart = () => this.#pids.clear();
  }

  /**
   * Starts the fake game servers. `gateways`: addresses of the REST ports of all gateways, `host:port`. Resolves when
   * all servers are online.
   */
  static async start(probers: readonly Seat[], gateways: readonly string[]): Promise<ProbedServers> {
    const servers: A2sServer[] = [];
    for (let i = 1; i <= SERVERS; i++) servers.push(await A2sServer.start({}, `127.50.${i}.1`));
    const probed = new ProbedServers(servers, probers, gateways);
    await probed.onlineAgain();
    return probed;
  }

  /**
   * Renames all fake game servers. Resolves when each gateway reports all of them as online with the new name. This
   * proves that gsq has probed them again.
   */
  async onlineAgain(): Promise<void> {
    const name = `name ${++this.#names}`;
    for (const server of this.#servers) server.name = name;
    const addresses = this.#servers.map(({ address }) => address);
    for (const client of this.#clients) {
      const missing = async () => {
        await pause(BETWEEN_READS_MS);
        const found = await client.read(addresses).catch(() => []);
        const isSeen = (i: number) => found[i]?.name === name && found[i]?._updater.status === 'online';
        return addresses.filter((_, i) => !isSeen(i));
      };
      await until('servers that are online again', missing, ({ length }) => length === 0, ONLINE_MS);
    }
  }

  stop(): void {
    for (const server of this.#servers) server.stop();
  }

  #note(server: A2sServer, port: number): void {
    const pid = this.#pidOf(port);
    if (pid === undefined) return;
    const last = this.#last.get(server);
    const at = performance.now();
    this.#last.set(server, { pid, at, isQuiet: this.isQuiet });
    if (!last || last.pid === pid || at - last.at >= QUERY_MS) return;
    if (!last.isQuiet) this.duringFaults++;
    else
      this.faults.push(
        `${server.address} was asked by the probers ${last.pid} and ${pid} within ${Math.round(at - last.at)} ms`,
      );
  }

  /** Returns the process id of the prober that uses this UDP port. Undefined if no running prober uses it. */
  #pidOf(port: number): number | undefined {
    if (!this.#pids.has(port)) {
      for (const { process } of this.#probers)
        for (const own of udpPortsOf(process.child.pid)) this.#pids.set(own, process.child.pid);
    }
    return this.#pids.get(port);
  }
}
