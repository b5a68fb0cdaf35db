import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { bucketOf, bucketOfServer } from '../../../../core/cluster/buckets.ts';
import { labels, type ServerRecord, statuses } from '../../../../core/servers/server-record.ts';
import { NoWrites } from '../../../../core/store/no-writes.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { clockAt } from '../../clock.ts';
import { offlineRecord, onlineRecord } from '../../record-of.ts';
import { type LeasedRecord, leaseRecords } from '../lease-records.ts';
import { bucketsOf, type Core, openCore, serverAt, sharedEntries } from './shared-stores.ts';

const SEEDS = 8;
const STEPS = 1_500;
const CORES = ['a', 'b', 'c'];
/** 12 hosts with two servers each, of different games. All servers of a host are in the same bucket. */
const SERVERS = Array.from({ length: 24 }, (_, i) => serverAt(i >> 1, i % 2 === 0 ? 'csgo' : 'rust'));
const keyOf = ({ gameId, address }: (typeof SERVERS)[number]): string => `${gameId} ${address}`;
const BUCKETS = [...new Set(SERVERS.map(server => bucketOfServer(keyOf(server))))];

/** The fields of a server record that the test compares with the state that the server must have. */
type Shown = Pick<ServerRecord, 'status' | 'isPublic' | 'lastProbeAt'> & { hour: string };

function shown({ status, isPublic, lastProbeAt, openHour }: ServerRecord): Shown {
  return { status, isPublic, lastProbeAt, hour: Buffer.from(openHour).toString() };
}

/** A cluster of simulated cores, and a model of the state that its servers must have. */
class SimulatedCluster {
  readonly clock = clockAt();
  readonly shared = sharedEntries(bucketOf);
  readonly cores: readonly Core[];
  /** For each bucket of servers, the core that serves it. While a bucket moves, no core serves it. */
  readonly serving = new Map<number, Core>();
  /** The state that each tracked server must have after all acknowledged changes. */
  readonly model = new Map<string, Shown>();
  readonly counts = { moves: 0, applied: 0, dropped: 0, inserted: 0, removed: 0, listed: 0, refused: 0 };
  readonly #random: (below: number) => number;
  readonly #leases: { core: Core; lease: LeasedRecord }[] = [];
  /** Keys of servers with a change in progress. The order of two concurrent changes of a server would be unknown. */
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  #hours = 0;

  private constructor(
    cores: readonly Core[],
    clock: SimulatedCluster['clock'],
    shared: SimulatedCluster['shared'],
    seed: number,
  ) {
    this.cores = cores;
    this.clock = clock;
    this.shared = shared;
    this.#random = randomNumbers(seed);
  }

  static async open(seed: number): Promise<SimulatedCluster> {
    const clock = clockAt();
    const shared = sharedEntries(bucketOf);
    const cores = await Promise.all(CORES.map(name => openCore(shared, name, clock)));
    const cluster = new SimulatedCluster(cores, clock, shared, seed);
    for (const bucket of BUCKETS) await cluster.#take([bucket], cluster.#pick(cores));
    return cluster;
  }

  async step(): Promise<void> {
    const steps = [
      () => this.#move(),
      () => this.#insert(),
      () => this.#insert(),
      () => this.#remove(),
      () => this.#list(),
      () => this.#lease(),
      () => this.#lease(),
      () => this.#report(),
      () => this.#report(),
      () => this.#report(),
      () => this.#writeHeld(),
    ];
    this.#pick(steps)();
    this.clock.at += this.#random(3_000);
    for (let turns = this.#random(3); turns > 0; turns--) await turn();
  }

  async settle(): Promise<void> {
    while (this.#running.size > 0) {
      // A core gives a bucket of servers away only when no record in it waits for a flush of the history.
      for (const { store } of this.cores) store.writeHeld(store.holds);
      await turn();
    }
    for (const failure of this.#failures) throw failure;
  }

  /** Moves all buckets of servers to one core. */
  async gather(core: Core): Promise<void> {
    for (const [bucket, from] of [...this.serving])
      await this.#give([bucket], from).then(() => this.#take([bucket], core));
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)] as T;
  }

  /** Starts an operation without waiting for it. If the operation fails, `settle` rejects with the error. */
  #run(work: Promise<void>): void {
    const running = work
      .catch((error: unknown) => void this.#failures.push(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #move(): void {
    const from = this.#pick(this.cores);
    const owned = BUCKETS.filter(bucket => this.serving.get(bucket) === from);
    const buckets = owned.filter(() => this.#random(2) === 0);
    if (buckets.length === 0) return;
    this.#run(this.#give(buckets, from).then(() => this.#take(buckets, this.#pick(this.cores))));
    this.counts.moves++;
  }

  async #give(buckets: readonly number[], from: Core): Promise<void> {
    for (const bucket of buckets) this.serving.delete(bucket);
    await bucketsOf(from.store).stopBuckets(buckets);
    if (this.#random(2) === 0) from.store.writeHeld(from.store.holds);
    await bucketsOf(from.store).giveBuckets(buckets, () => undefined);
    for (const bucket of buckets) this.shared.owners.delete(bucket);
  }

  async #take(buckets: readonly number[], to: Core): Promise<void> {
    for (const bucket of buckets) this.shared.owners.set(bucket, to.name);
    await bucketsOf(to.store).takeBuckets(buckets, () => undefined);
    for (const bucket of buckets) this.serving.set(bucket, to);
  }

  #isOwned(key: string, core: Core): boolean {
    return this.shared.owners.get(bucketOfServer(key)) === core.name;
  }

  /**
   * Starts a change of a random server, at the core that owns the server or at a random core. Does nothing if a change
   * of this server is still running.
   */
  #change(change: (key: string, core: Core, server: (typeof SERVERS)[number]) => Promise<void>): void {
    const server = this.#pick(SERVERS);
    const key = keyOf(server);
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    const owner = this.serving.get(bucketOfServer(key));
    const core = this.#random(4) > 0 && owner ? owner : this.#pick(this.cores);
    this.#run(change(key, core, server).finally(() => this.#busy.delete(key)));
  }

  #insert(): void {
    this.#change(async (key, core, server) => {
      const isServing = this.serving.get(bucketOfServer(key)) === core;
      const wasTracked = this.model.has(key);
      const [outcome] = await core.store.insertIfAbsent([server]);
      if (outcome === 'refused') {
        assert.equal(isServing, false);
        this.counts.refused++;
      } else if (outcome === 'inserted') {
        assert.equal(wasTracked, false);
        // If a probe was recorded before `insertIfAbsent` returned, `model` (expected state) already has the server.
        if (!this.model.has(key))
          this.model.set(key, { status: 'pending', isPublic: false, lastProbeAt: 0, hour: '' });
        this.counts.inserted++;
      } else assert.equal(wasTracked, true);
    });
  }

  #remove(): void {
    this.#change(async (key, core) => {
      const isServing = this.serving.get(bucketOfServer(key)) === core;
      const wasTracked = this.model.has(key);
      const result = await core.store.remove([key]).catch((error: unknown) => {
        assert.ok(error instanceof NoWrites && !isServing);
        return [false];
      });
      if (isServing) assert.deepEqual(result, [wasTracked]);
      if (!result[0]) return;
      this.model.delete(key);
      this.counts.removed++;
    });
  }

  #list(): void {
    this.#change(async (key, core) => {
      const isServing = this.serving.get(bucketOfServer(key)) === core;
      const isPublic = this.#random(2) === 0;
      const listing = core.store.listPublicly([key], isPublic);
      const known = this.model.get(key);
      const result = await listing.catch((error: unknown) => {
        assert.ok(error instanceof NoWrites && !isServing);
        return [false];
      });
      if (isServing) assert.deepEqual(result, [known !== undefined]);
      const after = this.model.get(key);
      if (!result[0] || !after) return;
      this.model.set(key, { ...after, isPublic });
      this.counts.listed++;
    });
  }

  #lease(): void {
    const core = this.#pick(this.cores);
    for (const lease of leaseRecords(core.store, 1 + this.#random(5))) {
      assert.ok(this.#isOwned(lease.server.key, core), `core ${core.name} leases ${lease.server.key}`);
      this.#leases.push({ core, lease });
    }
  }

  #report(): void {
    const [one] = this.#leases.splice(this.#random(this.#leases.length + 1), 1);
    if (!one) return;
    const { core, lease } = one;
    const current = core.store.leased(lease.id);
    const found = this.#random(3) === 0 ? offlineRecord : onlineRecord;
    const next = {
      ...found(current ?? lease.server, this.clock.at),
      openHour: Buffer.from(`hour ${this.#hours++}`),
    };
    if (!core.store.apply(lease.id, next, this.#random(4) === 0)) {
      this.counts.dropped++;
      return;
    }
    assert.ok(this.#isOwned(next.key, core), `core ${core.name} records a probe of ${next.key}`);
    this.model.set(next.key, shown(next));
    this.counts.applied++;
  }

  #writeHeld(): void {
    const { store } = this.#pick(this.cores);
    store.writeHeld(store.holds);
  }
}

/** Checks that the counters of a core match the server records of this core. */
function checkCounters({ store, unconfirmed }: Core): void {
  const records = [...store.records()].map(record => ({ ...record }));
  const count = (test: (record: ServerRecord) => boolean): number => records.filter(test).length;
  const { leased: _, tracked, ...status } = store.stats();
  assert.equal(tracked, records.length);
  for (const one of statuses)
    assert.equal(
      status[one],
      count(record => record.status === one),
    );
  for (const one of labels)
    assert.equal(
      store.counters.label[one],
      count(record => record.label === one),
    );
  for (const game of ['csgo', 'rust'])
    assert.equal(
      store.counters.games.get(game) ?? 0,
      count(({ gameId }) => gameId === game),
    );
  const unanswered = records.filter(({ lastOnlineAt }) => lastOnlineAt === 0).map(({ key }) => key);
  assert.equal(unconfirmed.size, unanswered.length);
  for (const key of unanswered) assert.ok(unconfirmed.has(key));
}

/** Checks that each server is on exactly one core, with the newest record of the server. */
function checkServers({ cores, serving, model, shared }: SimulatedCluster): void {
  const found = new Map<string, Shown>();
  for (const core of cores) {
    checkCounters(core);
    for (const record of core.store.records()) {
      assert.equal(found.has(record.key), false, `${record.key} is in two cores`);
      assert.equal(serving.get(bucketOfServer(record.key)), core);
      found.set(record.key, shown(record));
    }
  }
  const sorted = (map: ReadonlyMap<string, Shown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(sorted(found), sorted(model));
  assert.deepEqual([...shared.durable.keys()].sort(), [...model.keys()].map(key => `s/${key}`).sort());
}

/** Checks that each server is due for a probe on exactly one core. */
function checkSchedule({ cores, clock, model }: SimulatedCluster): void {
  clock.at += 2 * 86_400_000;
  const due = cores.flatMap(({ store }) => leaseRecords(store, 1_000).map(({ server }) => server.key));
  assert.deepEqual(due.sort(), [...model.keys()].sort());
}

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`no server and no record is lost when buckets (shares of the servers) move between cores (random seed ${seed})`, async () => {
    const cluster = await SimulatedCluster.open(seed);
    for (let i = 0; i < STEPS; i++) await cluster.step();
    await cluster.settle();
    for (const [what, count] of Object.entries(cluster.counts)) assert.ok(count > 5, `${what}: ${count}`);
    checkServers(cluster);
    const [core] = cluster.cores;
    assert.ok(core);
    await cluster.gather(core);
    checkServers(cluster);
    checkSchedule(cluster);
  });
}
