import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FREE } from '../../faults/core-process.ts';
import { freePort } from '../../peers/free-port.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { type ProcessName, stackDefaults } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';
import type { EngineCluster } from '../engine-cluster.ts';
import { isBalanced, readOwners } from './owners.ts';
import { Seat } from './seat.ts';

const CORES = 3;
const GATEWAYS = 2;
const PROBERS = 3;
/**
 * Probe interval of the game servers. gsq waits at least half of this time, 2.5 s, before it probes a server again. So
 * if two probers query a server within a shorter time, their probes count as simultaneous.
 */
const PROBE_INTERVAL = '5s';
const SETTLED_MS = 90_000;
/** Pause between two reads of the table of bucket owners (which core owns which servers), in milliseconds. */
const BETWEEN_READS_MS = 100;

/** A core of a fault test. If its process ends, the test starts it again with the same addresses. */
export interface CoreSeat {
  readonly seat: Seat;
  /** Address of the internal port of the core. The core is a member of the cluster under this address. */
  readonly member: string;
  /** Address of the public gRPC port of the core. */
  readonly grpc: string;
}

/** A gateway of a fault test. If its process ends, the test starts it again with the same REST address. */
export interface GatewaySeat {
  readonly seat: Seat;
  readonly http: string;
}

/** The gsq processes of a fault test: several cores, gateways and probers. All cores use the same store. */
export class Fleet {
  readonly cores: readonly CoreSeat[];
  readonly gateways: readonly GatewaySeat[];
  readonly probers: readonly Seat[];
  readonly #cluster: EngineCluster;

  private constructor(
    cluster: EngineCluster,
    cores: readonly CoreSeat[],
    gateways: readonly GatewaySeat[],
    probers: readonly Seat[],
  ) {
    this.#cluster = cluster;
    this.cores = cores;
    this.gateways = gateways;
    this.probers = probers;
  }

  /**
   * Starts all gsq processes of a fault test. `directory`: data directory of the first core. Resolves when each bucket
   * (a group of servers) has an owner, and the cores own about equally many buckets.
   */
  static async start(cluster: EngineCluster, directory: string): Promise<Fleet> {
    const seats: Seat[] = [];
    try {
      const cores = await startCores(cluster, directory, seats);
      const known = (i: number) => ({ GSQ_INTERNAL_ADDR: cores[i % CORES]?.member ?? '' });
      const gateways: GatewaySeat[] = [];
      for (let i = 0; i < GATEWAYS; i++) {
        const http = await freeAddress();
        const seat = await started(seats, 'gateway', i, { ...known(i), GSQ_HTTP_ADDR: http });
        gateways.push({ seat, http });
      }
      const probers: Seat[] = [];
      for (let i = 0; i < PROBERS; i++) probers.push(await started(seats, 'prober', i, known(i)));
      const fleet = new Fleet(cluster, cores, gateways, probers);
      await fleet.settled();
      return fleet;
    } catch (error) {
      await Promise.all(seats.map(seat => seat.stop('SIGKILL')));
      throw error;
    }
  }

  get seats(): Seat[] {
    return [...this.probers, ...this.gateways.map(({ seat }) => seat), ...this.cores.map(({ seat }) => seat)];
  }

  /** One message for each process that ended unexpectedly, without a simulated fault as the cause. */
  get faults(): string[] {
    return this.seats.flatMap(({ faults }) => faults);
  }

  /**
   * One message for each core that ended because it had lost its lease or its buckets of data. There is no message if
   * the test caused the loss on purpose.
   */
  get lostLeases(): string[] {
    return this.seats.flatMap(({ lostLeases }) => lostLeases);
  }

  /** State and recent output of all gsq processes of the test, for error messages. */
  get report(): string {
    return this.seats.map(({ report }) => report).join('\n');
  }

  /**
   * Resolves when all gsq processes run, and the cores own about equally many buckets of data. Call it after
   * `EngineCluster.settled`.
   */
  async settled(): Promise<void> {
    for (const seat of this.seats) await seat.up();
    await this.shared(this.cores);
  }

  /**
   * Resolves when exactly the given cores are members of the cluster, and they own all buckets of data in about equal
   * shares.
   */
  async shared(cores: readonly CoreSeat[]): Promise<void> {
    const addresses = cores.map(({ member }) => member);
    const look = async () => {
      await pause(BETWEEN_READS_MS);
      const owners = await readOwners(this.#cluster).catch(() => undefined);
      return owners !== undefined && isBalanced(owners, addresses);
    };
    await until('buckets with an owner', look, found => found, SETTLED_MS).catch(error => {
      throw new Error(`${error}\n${this.report}`);
    });
  }

  /** Ends all gsq processes of the test: probers first, cores last. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    for (const seat of this.seats.slice(0, PROBERS + GATEWAYS)) await seat.stop(signal);
    await Promise.all(this.cores.map(({ seat }) => seat.stop(signal)));
  }
}

async function freeAddress(): Promise<string> {
  return `127.0.0.1:${await freePort()}`;
}

async function started(
  seats: Seat[],
  name: ProcessName,
  i: number,
  env: Record<string, string>,
): Promise<Seat> {
  const seat = await Seat.start(name, `${name} ${i + 1}`, {
    ...stackDefaults,
    ...FREE,
    GSQ_PROBE_INTERVAL: PROBE_INTERVAL,
    ...env,
  });
  seats.push(seat);
  return seat;
}

async function startCores(cluster: EngineCluster, first: string, seats: Seat[]): Promise<CoreSeat[]> {
  const cores: CoreSeat[] = [];
  for (let i = 0; i < CORES; i++) {
    const directory = i === 0 ? first : scratchDirectory();
    // All cores get the same token key, because they must all hash the secrets of tokens with the same key.
    if (i > 0) copyFileSync(join(first, 'token.key'), join(directory, 'token.key'));
    const [member, grpc] = [await freeAddress(), await freeAddress()];
    const seat = await started(seats, 'core', i, {
      GSQ_STORE: cluster.url,
      GSQ_LOG_LEVEL: 'info',
      GSQ_DATA_DIR: directory,
      GSQ_INTERNAL_ADDR: member,
      GSQ_GRPC_ADDR: grpc,
    });
    cores.push({ seat, member, grpc });
  }
  return cores;
}
