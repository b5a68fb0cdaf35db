import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPERATOR } from '../../core/admission/insert-guard.ts';
import { FailureDetector } from '../../core/detector/failure-detector.ts';
import { Dispatcher } from '../../core/schedule/dispatcher.ts';
import { ReportRecorder } from '../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../core/servers/server-changes.ts';
import { serverKey } from '../../core/servers/server-record.ts';
import { LevelDbStore } from '../../core/store/leveldb/leveldb-store.ts';
import { EmbeddedServerStore } from '../../core/store/memory/embedded-server-store.ts';
import { addressKey } from '../../net/address-key.ts';
import { Probes } from '../../prober/probes/probes.ts';
import { TimerWheel } from '../../prober/timing/timer-wheel.ts';
import { catalogOf } from '../core/catalog-of.ts';
import { feedOf } from '../core/feed/feed-of.ts';
import { Judge } from './judge.ts';
import { Random } from './random.ts';
import type { SimulatedHost, SimulatedNetwork, SimulatedServer } from './simulated-host.ts';
import { SimulatedProber } from './simulated-prober.ts';
import { SimulatedWire } from './simulated-wire.ts';
import { VirtualClock } from './virtual-clock.ts';

export const INTERVAL_MS = 60_000;
const GAME = 'truth';
/** Date at which the virtual clock of a simulation starts, in milliseconds since the Unix epoch. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** Age after which the data of a server is stale, in milliseconds. It is the default of GSQ_STALE_AFTER. */
const HOLD_MS = 600_000;
/** Duration of a lease, in milliseconds: the time in which the prober must report the result of a probe. */
const LEASE_MS = 30_000;
/** Tick of the timing wheel in the prober, in milliseconds. */
const WHEEL_MS = 25;

/** One simulation: a core and a prober in virtual time, with a simulated network of game servers. */
export class World {
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly wire: SimulatedWire;
  readonly networks: readonly SimulatedNetwork[];
  readonly judge: Judge;

  /**
   * Creates a simulation. `loss`: share of lost packets in each direction. `plan`: builds the simulated networks.
   * `trace`: prints the probes of addresses with this prefix.
   */
  constructor(loss: number, seed: number, plan: (random: Random) => SimulatedNetwork[], trace = '') {
    this.judge = new Judge(INTERVAL_MS, trace);
    this.random = new Random(seed);
    this.wire = new SimulatedWire(this.clock, new Random(seed + 1), loss);
    this.networks = plan(this.random);
    for (const { hosts } of this.networks) for (const host of hosts) this.wire.add(host);
  }

  /** All simulated hosts on which the scenario causes faults. The other hosts stay healthy. */
  get targets(): SimulatedHost[] {
    return this.networks.filter(({ isTarget }) => isTarget).flatMap(({ hosts }) => hosts);
  }

  get servers(): SimulatedServer[] {
    return this.networks.flatMap(({ servers }) => servers);
  }

  /** Runs the simulation for `ms` milliseconds of virtual time, with a temporary store. */
  async run(ms: number): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'gsq-truth-'));
    const level = await LevelDbStore.open(directory, error => {
      throw error;
    });
    try {
      await this.#runOn(level, ms);
    } finally {
      await level.close();
      rmSync(directory, { recursive: true, force: true });
    }
  }

  async #runOn(level: LevelDbStore, ms: number): Promise<void> {
    const { clock, wire, judge } = this;
    const now = (): number => EPOCH_MS + clock.now;
    const options = { now, probeIntervalMs: INTERVAL_MS, leaseMs: LEASE_MS, maxServers: 1_000_000 };
    const store = await EmbeddedServerStore.load(level, options);
    for (const server of this.servers) judge.watch(serverKey(GAME, server.address), server);
    await store.insertIfAbsent(
      this.servers.map(({ address }) => ({ gameId: GAME, address, insertedBy: OPERATOR })),
    );
    const recorder = new ReportRecorder({
      store,
      changes: new ServerChanges(),
      feed: feedOf(),
      probeIntervalMs: INTERVAL_MS,
      detector: new FailureDetector(HOLD_MS),
      giveUpAfterProbes: 0,
      onRecorded: (report, before, after) => judge.recorded(report, before, after, clock.now),
    });
    const dispatcher = new Dispatcher({
      store,
      catalog: await catalogOf(now, GAME),
      recorder,
      now,
      timing: clock,
      probeIntervalMs: INTERVAL_MS,
    });
    const wheel = new TimerWheel(() => clock.now);
    const stopWheel = clock.every(WHEEL_MS, () => wheel.turn());
    const warn = (message: string): never => {
      throw new Error(message);
    };
    const probes = await Probes.open({ wheel, bind: wire.bind, warn });
    const prober = new SimulatedProber(clock, probes, dispatcher, ({ host, port }) => {
      const server = wire.serverAt(addressKey(host), port);
      if (server) judge.probed(server);
    });
    dispatcher.join(prober);
    await clock.run(ms);
    judge.close(clock.now);
    dispatcher.close();
    await probes.close();
    stopWheel();
    await store.close();
  }
}
