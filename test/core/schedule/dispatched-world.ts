import type { TestContext } from 'node:test';
import { Registry } from 'prom-client';
import type { Catalog } from '../../../core/catalog/catalog.ts';
import { FailureDetector } from '../../../core/detector/failure-detector.ts';
import { probeMetrics } from '../../../core/ops/probe-metrics.ts';
import { Dispatcher } from '../../../core/schedule/dispatcher.ts';
import type { DispatcherTiming } from '../../../core/schedule/dispatcher-timing.ts';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import type { ProberStream } from '../../../core/schedule/prober-session.ts';
import { ReportRecorder } from '../../../core/schedule/report-recorder.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import type { Lease } from '../../../proto/generated/gsq/v1/Lease.ts';
import { ReadMetrics } from '../../../runtime/process-metrics.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { catalogOf } from '../catalog-of.ts';
import { type Clock, clockAt } from '../clock.ts';
import { feedOf } from '../feed/feed-of.ts';
import { payloadOf } from '../payload-of.ts';
import { scratchEngine } from '../scratch-store.ts';

const STEP_MS = 250;
const PING_MS = 40;
/** Default reply timeout of the prober, ms, if the core does not specify a timeout. */
const TIMEOUT_MS = 2_000;
/**
 * Five replies, each with a different player count. If a server always sent the same reply, gsq would assume a cache,
 * and would probe the server less often after some hours.
 */
const SAID = [3, 4, 5, 6, 7].map(players => payloadOf({ players, ping: PING_MS }));

/** A core with a simulated prober and a simulated network. Each probe sends one packet. The test advances the clock. */
export class DispatchedWorld {
  /** Returns true if the server at this address answers. */
  answers: (address: string) => boolean = () => true;
  /** Share of packets that are lost on the prober's own network connection (uplink). */
  loss = 0;
  readonly clock: Clock;
  readonly store: EmbeddedServerStore;
  readonly dispatcher: Dispatcher;
  readonly recorder: ReportRecorder;
  /** The arguments of all calls of `onOutage` so far: true for the beginning of a prober outage, false for its end. */
  readonly outages: boolean[] = [];
  readonly #below = randomNumbers(20_262);
  readonly #keys: string[];
  #prober: ProberStream | undefined;
  #underWay: { at: number; report: LeaseReport }[] = [];
  #tick = (): void => {};
  #calls: (() => void)[] = [];
  #probes = 0;

  private constructor(
    addresses: readonly string[],
    clock: Clock,
    store: EmbeddedServerStore,
    catalog: Catalog,
    probeIntervalMs: number,
  ) {
    this.#keys = addresses.map(address => `csgo ${address}`);
    this.clock = clock;
    this.store = store;
    const timing: DispatcherTiming = {
      every: (_, tick) => {
        this.#tick = tick;
        return () => {};
      },
      soon: call => void this.#calls.push(call),
    };
    this.recorder = new ReportRecorder({
      store,
      changes: new ServerChanges(),
      feed: feedOf(),
      probeIntervalMs,
      detector: new FailureDetector(600_000),
      giveUpAfterProbes: 3,
    });
    this.dispatcher = new Dispatcher({
      store,
      catalog,
      recorder: this.recorder,
      now: clock.now,
      timing,
      probeIntervalMs,
      onOutage: open => this.outages.push(open),
    });
    this.joinProber();
  }

  static async of(
    t: TestContext,
    addresses: readonly string[],
    probeIntervalMs = 60_000,
  ): Promise<DispatchedWorld> {
    const clock = clockAt();
    const options = { now: clock.now, probeIntervalMs, leaseMs: 30_000, maxServers: 10_000 };
    const store = await EmbeddedServerStore.load(await scratchEngine(t), options);
    const world = new DispatchedWorld(
      addresses,
      clock,
      store,
      await catalogOf(clock.now, 'csgo'),
      probeIntervalMs,
    );
    await world.track(addresses);
    return world;
  }

  async track(addresses: readonly string[]): Promise<void> {
    await this.store.insertIfAbsent(
      addresses.map(address => ({ gameId: 'csgo', address, insertedBy: 'tok_1' })),
    );
  }

  /** Connects a new prober, which replaces the current prober. */
  joinProber(): void {
    const send = (leases: readonly Lease[]): boolean => {
      for (const lease of leases) this.#probe(lease);
      return true;
    };
    if (this.#prober) this.dispatcher.leave(this.#prober);
    this.#underWay = [];
    this.#prober = { prober: 'p', announced: 10_000, capacity: 10_000, send };
    this.dispatcher.join(this.#prober);
  }

  #probe({ leaseId, host, port, timeoutMs }: Lease): void {
    const answered = this.answers(`${host}:${port}`) && this.#below(1e6) >= this.loss * 1e6;
    const report: LeaseReport = {
      leaseId: Number(leaseId),
      outcome: answered ? 'PROBE_OUTCOME_ONLINE' : 'PROBE_OUTCOME_NO_REPLY',
      payload: answered ? (SAID[this.#probes++ % SAID.length] ?? null) : null,
      queryPort: answered ? Number(port) : 0,
      signals: {
        packetsSent: 1,
        packetsLost: answered ? 0 : 1,
        challenged: false,
        packetsRejected: 0,
        address: String(host),
      },
    };
    const wait = answered ? PING_MS : Number(timeoutMs) || TIMEOUT_MS;
    this.#underWay.push({ at: this.clock.at + wait, report });
  }

  /** Advances the clock, probes the due servers and reports the results. Gives the store time to finish its writes. */
  async pass(ms: number): Promise<void> {
    for (const end = this.clock.at + ms; this.clock.at < end; ) {
      this.clock.at += STEP_MS;
      this.#tick();
      while (this.#calls.length > 0) this.#calls.shift()?.();
      const over = this.#underWay.filter(({ at }) => at <= this.clock.at);
      if (over.length === 0) continue;
      this.#underWay = this.#underWay.filter(({ at }) => at > this.clock.at);
      const reports = over.map(({ report }) => report);
      if (this.#prober) this.dispatcher.report(this.#prober, reports);
      // Waits until the store has written a removal. Until then, the removed server stays in the server table.
      await new Promise(setImmediate);
    }
  }

  async metric(name: string): Promise<number | undefined> {
    const registry = new Registry();
    probeMetrics(registry, new ReadMetrics(registry), this);
    const found = await registry.getSingleMetric(name)?.get();
    return found?.values[0]?.value;
  }

  get servers(): ServerRecord[] {
    return this.store.getMany(this.#keys).filter(server => server !== undefined);
  }

  get offline(): string[] {
    return this.servers.flatMap(({ status, address }) => (status === 'offline' ? [address] : []));
  }
}
