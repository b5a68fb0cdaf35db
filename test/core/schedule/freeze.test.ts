import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Registry } from 'prom-client';
import type { Catalog } from '../../../core/catalog/catalog.ts';
import { probeMetrics } from '../../../core/core-metrics.ts';
import { Dispatcher, type LeaseReport, type ProberSession } from '../../../core/schedule/dispatcher.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { EmbeddedServerStore } from '../../../core/store/embedded-server-store.ts';
import type { Lease } from '../../../proto/generated/gsq/v1/Lease.ts';
import { ReadMetrics } from '../../../runtime/process-metrics.ts';
import { catalogOf } from '../catalog-of.ts';
import { type Clock, clockAt } from '../clock.ts';
import { payloadOf } from '../payload-of.ts';
import { scratchLevel } from '../scratch-level.ts';

const SECOND = 1_000;
const STEP_MS = 500;
/** Silence is noticed only after the prober has asked twice. */
const SILENCE_MS = 3_000;

/** A core with a made-up prober and a made-up internet, under a clock that a test moves. */
class World {
  /** Whether a server answers. */
  answers: (address: string) => boolean = () => true;
  /** Of the packets sent to one that does. */
  packetsLost = 0;
  /** Whether one that does not demands a challenge first. */
  challenges = false;
  readonly clock: Clock;
  readonly store: EmbeddedServerStore;
  readonly dispatcher: Dispatcher;
  readonly freezes: boolean[] = [];
  readonly #keys: string[];
  #prober: ProberSession | undefined;
  #underWay: { at: number; report: LeaseReport }[] = [];

  private constructor(
    addresses: readonly string[],
    clock: Clock,
    store: EmbeddedServerStore,
    catalog: Catalog,
  ) {
    this.#keys = addresses.map(address => `csgo ${address}`);
    this.clock = clock;
    this.store = store;
    this.dispatcher = new Dispatcher({
      store,
      changes: new ServerChanges(),
      catalog,
      now: clock.now,
      probeIntervalMs: 60_000,
      unprovenProbes: 3,
      onFreeze: frozen => this.freezes.push(frozen),
    });
    this.joinProber();
  }

  static async of(t: TestContext, addresses: readonly string[]): Promise<World> {
    const clock = clockAt();
    const options = { now: clock.now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers: 10_000 };
    const store = await EmbeddedServerStore.load(await scratchLevel(t), options);
    await store.insertIfAbsent(addresses.map(address => ({ gameId: 'csgo', address, insertedBy: 'tok_1' })));
    const world = new World(addresses, clock, store, await catalogOf(clock.now, 'csgo'));
    t.after(() => world.dispatcher.close());
    return world;
  }

  /** A prober joins, in place of the one before it. */
  joinProber(): void {
    const send = (leases: readonly Lease[]): boolean => {
      for (const lease of leases) this.#probe(lease);
      return true;
    };
    if (this.#prober) this.dispatcher.leave(this.#prober);
    this.#underWay = [];
    this.#prober = { capacity: 10_000, send };
    this.dispatcher.join(this.#prober);
  }

  #probe({ leaseId, host, port }: Lease): void {
    const answered = this.answers(`${host}:${port}`);
    const report: LeaseReport = {
      leaseId: Number(leaseId),
      outcome: answered ? 'PROBE_OUTCOME_ONLINE' : 'PROBE_OUTCOME_NO_REPLY',
      payload: answered ? payloadOf() : null,
      queryPort: answered ? Number(port) : 0,
      signals: {
        packetsSent: 2,
        packetsLost: answered ? this.packetsLost : 2,
        challenged: this.challenges,
        packetsRejected: 0,
        address: '',
      },
    };
    this.#underWay.push({ at: this.clock.at + (answered ? 0 : SILENCE_MS), report });
  }

  /** Lets time pass; what is due is probed and reported on the way. */
  async pass(ms: number): Promise<void> {
    for (const end = this.clock.at + ms; this.clock.at < end; ) {
      this.clock.at += STEP_MS;
      this.dispatcher.wake();
      // More is due at once than a batch takes.
      for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
      const over = this.#underWay.filter(({ at }) => at <= this.clock.at);
      this.#underWay = this.#underWay.filter(({ at }) => at > this.clock.at);
      const reports = over.map(({ report }) => report);
      if (this.#prober) this.dispatcher.report(this.#prober, reports);
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

const spread = (count: number) =>
  Array.from({ length: count }, (_, i) => `5.${i % 250}.7.${1 + Math.floor(i / 250)}:27015`);

test('1000 servers, all replies lost for a minute: none is offline, and what is really gone afterwards is', async t => {
  const world = await World.of(t, spread(1_000));
  await world.pass(180 * SECOND);
  assert.equal(world.store.stats().online, 1_000);
  const before = world.servers;

  world.answers = () => false;
  await world.pass(60 * SECOND);
  assert.deepEqual([world.freezes, world.dispatcher.frozen], [[true], true]);
  assert.deepEqual(world.offline, []);
  assert.ok(world.dispatcher.ignored > 300, `${world.dispatcher.ignored} failures ignored`);
  assert.equal(await world.metric('gsq_schedule_frozen'), 1);
  assert.equal(await world.metric('gsq_probes_ignored_total'), world.dispatcher.ignored);
  for (const [i, server] of world.servers.entries()) {
    assert.equal(server.lastOnlineAt >= (before[i]?.lastOnlineAt ?? 0), true);
    assert.ok(server.failures <= 1);
  }
  const seconds = new Map<number, number>();
  for (const { nextProbeAt } of world.servers) {
    const second = Math.floor(nextProbeAt / SECOND);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  assert.ok(Math.max(...seconds.values()) < 60, 'they are due one after the other');

  const gone = new Set(spread(1_000).slice(0, 5));
  world.answers = address => !gone.has(address);
  const returned = world.clock.at;
  await world.pass(150 * SECOND);
  assert.deepEqual([world.freezes, world.dispatcher.frozen], [[true, false], false]);
  assert.equal(await world.metric('gsq_schedule_frozen'), 0);
  assert.deepEqual(new Set(world.offline), gone);
  for (const { address, lastOnlineAt, label } of world.servers) {
    if (!gone.has(address)) assert.ok(lastOnlineAt > returned, address);
    assert.equal(label, 'none');
  }
});

test('it may last for hours', async t => {
  const world = await World.of(t, spread(60));
  await world.pass(120 * SECOND);
  world.answers = () => false;
  await world.pass(3 * 3_600 * SECOND);
  assert.deepEqual([world.offline, world.freezes], [[], [true]]);
});

test('a /24 of 500 servers that is gone is offline, and freezes nothing', async t => {
  const one = Array.from({ length: 500 }, (_, i) => `9.9.9.${1 + (i % 250)}:${2000 + Math.floor(i / 250)}`);
  const world = await World.of(t, [...one, ...spread(100)]);
  await world.pass(120 * SECOND);
  world.answers = address => !address.startsWith('9.9.9.');
  await world.pass(120 * SECOND);
  assert.deepEqual(world.freezes, []);
  assert.deepEqual(new Set(world.offline), new Set(one));
});

test('5 of 5 lost, in five networks: none is offline; 5 of 6 are', async t => {
  for (const extra of [0, 1]) {
    const world = await World.of(t, spread(5 + extra));
    await world.pass(120 * SECOND);
    const lost = new Set(spread(5));
    world.answers = address => !lost.has(address);
    await world.pass(600 * SECOND);
    assert.equal(world.offline.length, extra ? 5 : 0);
    world.answers = () => true;
    await world.pass(600 * SECOND);
    assert.deepEqual([world.offline, world.dispatcher.frozen], [[], false]);
  }
});

test('four of four lost are believed after two minutes, one alone at once', async t => {
  const four = await World.of(t, spread(4));
  await four.pass(120 * SECOND);
  four.answers = () => false;
  // The others were last heard up to a minute before.
  await four.pass(60 * SECOND);
  assert.deepEqual(four.offline, []);
  await four.pass(120 * SECOND);
  assert.equal(four.offline.length, 4);

  const one = await World.of(t, spread(1));
  await one.pass(120 * SECOND);
  one.answers = () => false;
  await one.pass(110 * SECOND);
  assert.equal(one.offline.length, 1);
});

test('a prober that joins while nothing answers makes none offline', async t => {
  const world = await World.of(t, spread(300));
  await world.pass(120 * SECOND);
  world.answers = () => false;
  await world.pass(60 * SECOND);
  world.joinProber();
  assert.deepEqual([world.freezes, world.dispatcher.frozen], [[true, false], false]);
  await world.pass(120 * SECOND);
  assert.deepEqual([world.offline, world.dispatcher.frozen], [[], true]);
});

test('pending servers stay pending while it lasts, and dead ones that are imported freeze nothing', async t => {
  const world = await World.of(t, spread(100));
  await world.pass(120 * SECOND);
  const imported = Array.from({ length: 400 }, (_, i) => `7.${i % 250}.1.1:${2000 + i}`);
  const dead = new Set(imported);
  world.answers = address => !dead.has(address);
  await world.store.insertIfAbsent(
    imported.map(address => ({ gameId: 'csgo', address, insertedBy: 'tok_1' })),
  );
  await world.pass(60 * SECOND);
  assert.deepEqual([world.freezes, world.store.stats().offline], [[], 400]);

  world.answers = () => false;
  await world.pass(30 * SECOND);
  await world.store.insertIfAbsent([{ gameId: 'csgo', address: '8.8.8.8:27015', insertedBy: 'tok_1' }]);
  await world.pass(90 * SECOND);
  assert.equal(world.store.stats().pending, 1);
});

test('packets lost while it lasts make no label, those lost otherwise do', async t => {
  const world = await World.of(t, spread(200));
  const labels = () => new Set(world.servers.map(({ label }) => label));
  await world.pass(120 * SECOND);
  const heard = new Set(spread(200).slice(0, 80));
  world.packetsLost = 1;
  world.answers = address => heard.has(address);
  await world.pass(300 * SECOND);
  assert.deepEqual([world.freezes, labels()], [[true], new Set(['none'])]);
  world.answers = () => true;
  await world.pass(300 * SECOND);
  assert.deepEqual([world.freezes, labels()], [[true, false], new Set(['rate_limited'])]);
});

test('servers that are silent for long freeze nothing, however many', async t => {
  const world = await World.of(t, spread(7));
  await world.pass(120 * SECOND);
  world.challenges = true;
  for (let silent = 1; silent <= 7; silent++) {
    const lost = new Set(spread(silent));
    world.answers = address => !lost.has(address);
    await world.pass(180 * SECOND);
  }
  await world.pass(1_800 * SECOND);
  assert.deepEqual([world.freezes, world.offline], [[], []]);
  assert.deepEqual(new Set(world.servers.map(({ label }) => label)), new Set(['challenge_only']));
});
