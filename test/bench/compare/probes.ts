import { setTimeout as delay } from 'node:timers/promises';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { stackDefaults } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';
import type { FleetTarget } from '../fleet-member.ts';
import { playFleet } from '../played-fleet.ts';
import { cpuOf } from '../process-usage.ts';
import { type Caller, metadata } from '../sections/grpc.ts';
import { bound, type Started } from '../service.ts';
import type { Callers } from './answers.ts';
import type { Checkout } from './checkout.ts';
import { both, type Cost, type Found, type Pair } from './pair.ts';
import { equaliseSlices } from './steady-node.ts';

const SERVERS = 10_000;
const A_REQUEST = 500;
/**
 * The benchmark compares two checkouts of gsq. Before the measurement, each of them sends this number of probes, so
 * that V8 compiles the code. During the first 100,000 probes, V8 still takes up to 5 µs of CPU time for each probe to
 * compile.
 */
const WARM_UP = 200_000;
const WARM_UP_MS = 120_000;
const BETWEEN_LOOKS_MS = 250;
/** Minimum share of the probes that find their server online. A measurement with a smaller share is invalid. */
const ONLINE = 0.99;

const rows = [
  { row: 'A2S', protocol: 'a2s', game: 'csgo' },
  { row: 'Quake 3', protocol: 'quake3', game: 'q3a' },
] as const;

const { FetchServers } = gsqV1.ServerService.service;

/**
 * Settings of the measured processes. With these settings, more probes become due than the prober can send, so the
 * prober is always busy.
 */
const settings = {
  ...stackDefaults,
  GSQ_PROBE_INTERVAL: '500ms',
  GSQ_PACKETS_PER_SECOND: '1000000',
  GSQ_MAX_IN_FLIGHT: '5000',
  GSQ_INSERTS_PER_MINUTE: String(SERVERS),
  GSQ_MAX_UNPROVEN_PER_TOKEN: String(SERVERS),
  GSQ_BURST_LIMIT: '1000000000',
  GSQ_LOG_LEVEL: 'warn',
};

/** A core and a prober that probe a fleet of fake servers. */
class Probing {
  readonly #core: Started;
  readonly #prober: Started;

  private constructor(core: Started, prober: Started) {
    this.#core = core;
    this.#prober = prober;
  }

  static async start(checkout: Checkout): Promise<Probing> {
    const core = await checkout.start('core', { ...settings, GSQ_DATA_DIR: scratchDirectory() });
    try {
      const GSQ_INTERNAL_ADDR = bound(core[1], 'GSQ_INTERNAL_ADDR');
      return new Probing(core, await checkout.start('prober', { ...settings, GSQ_INTERNAL_ADDR }));
    } catch (error) {
      await core[0].stop('SIGKILL');
      throw error;
    }
  }

  async insert(caller: Caller, gameId: string, targets: readonly FleetTarget[]): Promise<void> {
    const addresses = targets.map(({ address, port }) => `${address}:${port}`);
    const requests: Uint8Array[] = [];
    for (let first = 0; first < addresses.length; first += A_REQUEST) {
      const servers = addresses.slice(first, first + A_REQUEST);
      requests.push(FetchServers.requestSerialize({ servers: [{ gameId, servers }] }));
    }
    const address = bound(this.#core[1], 'GSQ_GRPC_ADDR');
    await caller.ask({
      ...{ address, path: FetchServers.path, requests, metadata },
      ...{ streams: 0, inFlight: 1, seconds: 0 },
    });
  }

  /**
   * Resolves to totals since the processes were started: finished probes, probes that found their server online, and
   * the CPU time of each process.
   */
  async look(): Promise<{ probes: number; online: number; cpu: Record<string, number> }> {
    const response = await fetch(`http://${bound(this.#prober[1], 'GSQ_PROBER_OPS_ADDR')}/metrics`);
    const counts = [...(await response.text()).matchAll(/^gsq_probes_total\{([^}]*)\} (\d+)$/gm)];
    const sum = (some: typeof counts) => some.reduce((all, [, , count]) => all + Number(count), 0);
    return {
      probes: sum(counts),
      online: sum(counts.filter(([, labels]) => labels?.includes('outcome="online"'))),
      cpu: {
        core: cpuOf(this.#core[0].pid) ?? Number.NaN,
        prober: cpuOf(this.#prober[0].pid) ?? Number.NaN,
      },
    };
  }

  /** Sends probes until V8 has compiled the code of the core and the prober. */
  async warmUp(): Promise<void> {
    const look = async () => {
      await delay(BETWEEN_LOOKS_MS);
      return this.look();
    };
    await until(`${WARM_UP} probes`, look, ({ probes }) => probes >= WARM_UP, WARM_UP_MS);
    await equaliseSlices([this.#core[0].pid, this.#prober[0].pid]);
  }

  /** Measures the CPU time for each probe during some seconds. Rejects if too few probes found their server online. */
  async cost(seconds: number): Promise<Cost> {
    const before = await this.look();
    await delay(seconds * 1000);
    const after = await this.look();
    const probes = after.probes - before.probes;
    const online = after.online - before.online;
    if (online < ONLINE * probes) throw new Error(`${online} of ${probes} probes found their server online`);
    return Object.fromEntries(
      Object.entries(after.cpu).map(([name, used]) => [name, (used - (before.cpu[name] ?? 0)) / probes]),
    );
  }

  /** Kills the core and the prober. They need not stop cleanly, because nothing reads their stored data later. */
  async stop(): Promise<void> {
    await Promise.all([this.#prober[0].stop('SIGKILL'), this.#core[0].stop('SIGKILL')]);
  }
}

/**
 * Compares the CPU time that two checkouts of gsq need for probes, in one round. Both run at the same time. Calls
 * `found` with the CPU costs for each game protocol.
 */
export async function measureProbes(
  checkouts: Pair<Checkout>,
  callers: Pair<Callers>,
  seconds: number,
  found: Found,
): Promise<void> {
  for (const { row, protocol, game } of rows) {
    const fleet = await playFleet(protocol, SERVERS);
    try {
      const sides = await both(checkouts, checkout => Probing.start(checkout));
      try {
        for (const side of sides) await side.insert(callers[0].grpc, game, fleet.targets);
        await both(sides, side => side.warmUp());
        found(row, await both(sides, side => side.cost(2 * seconds)));
      } finally {
        await both(sides, side => side.stop());
      }
    } finally {
      await fleet.stop();
    }
  }
}
