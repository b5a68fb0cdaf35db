import assert from 'node:assert/strict';
import { type Assigned, BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import { ALL_BUCKETS, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { LEASE_MS } from '../../../core/cluster/member-lease.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { VirtualClock } from '../../truth/virtual-clock.ts';
import { newFences, SimulatedCore, type SimulatedEngine, type SimulatedWorld } from './simulated-core.ts';
import { SimulatedTable } from './simulated-table.ts';

/** A time that is longer than the lease of a core in the cluster, ms. */
export const LONGER_THAN_LEASE_MS = LEASE_MS + 2_000;

/** Options of a simulated cluster (`Simulation`). */
export interface SimulationOptions {
  cores: number;
  seed: number;
  /** On average, one of `lossOneIn` messages is lost. 0: no message is lost. */
  lossOneIn?: number;
}

/**
 * Maximum time in which the cores of a simulation must divide all buckets (groups of servers) among themselves, in
 * milliseconds of virtual time.
 */
const SETTLED_MS = 120_000;
const LOOK_MS = 250;
/** Maximum number of assignments of buckets of servers to cores that a simulation keeps in memory. */
const MOST_KNOWN = 50;

/**
 * Assigns buckets of servers to cores. Computes the assignment for each list of members only once, because all
 * cores of a simulation share it.
 */
class SharedAssignment extends BucketAssignment {
  readonly #known = new Map<string, Assigned>();
  /**
   * Cache of the assignments of buckets to cores, keyed by the array with the cluster members. A simulated core keeps
   * the same array object until a member changes, so the assignment is usually found without comparing the members.
   */
  readonly #ofArray = new WeakMap<readonly Member[], Assigned>();

  override of(members: readonly Member[]): Assigned {
    let assigned = this.#ofArray.get(members);
    if (!assigned) {
      assigned = this.#find(members);
      this.#ofArray.set(members, assigned);
    }
    return assigned;
  }

  #find(members: readonly Member[]): Assigned {
    const key = members.map(({ id }) => id).join();
    const known = this.#known.get(key) ?? super.of(members);
    this.#known.delete(key);
    this.#known.set(key, known);
    for (const [oldest] of this.#known) if (this.#known.size > MOST_KNOWN) this.#known.delete(oldest);
    return known;
  }
}

/**
 * A cluster of simulated cores in virtual time. Measures how many buckets of servers move, and how long they
 * have no owner. Throws an AssertionError if a bucket has two owners.
 */
export class Simulation {
  readonly clock = new VirtualClock();
  readonly random: (below: number) => number;
  readonly table = new SimulatedTable(() => this.clock.now);
  readonly engine: SimulatedEngine = { canWrite: true, canTake: true };
  /** The running cores, without those that were stopped or killed. `run` removes each core that has lost its lease. */
  cores: SimulatedCore[] = [];
  /** Number of times that any core has loaded a bucket of servers. */
  takeovers = 0;
  /** Longest time in which a bucket of servers had no owner, in milliseconds. */
  longestGapMs = 0;
  /** Number of cores that have lost their membership, because they did not renew it in time. */
  lost = 0;
  readonly #world: SimulatedWorld;
  readonly #servedBy = new Array<SimulatedCore | undefined>(ALL_BUCKETS).fill(undefined);
  readonly #freeSince = new Float64Array(ALL_BUCKETS).fill(-1);
  /**
   * Errors that callbacks have found. They are not thrown, because a thrown error would end only one simulated core.
   */
  readonly #faults: string[] = [];
  #started = 0;

  constructor({ cores, seed, lossOneIn = 0 }: SimulationOptions) {
    this.random = randomNumbers(seed);
    this.#world = {
      clock: this.clock,
      random: this.random,
      table: this.table,
      assignment: new SharedAssignment(),
      fences: newFences(),
      lossOneIn,
      engine: this.engine,
      onLoaded: (core, buckets) => this.#noteLoaded(core, buckets),
      onUnloaded: (core, buckets) => this.#noteUnloaded(core, buckets),
    };
    for (let i = 0; i < cores; i++) this.start(i);
  }

  /** Starts a simulated core. `place`: number in its address. */
  start(place: number): void {
    this.#start(`10.0.${place >> 8}.${place & 255}:50052`);
  }

  #start(address: string, former?: string): void {
    const id = `core-${String(++this.#started).padStart(7, '0')}`;
    this.cores.push(SimulatedCore.start(this.#world, { id, address }, former));
  }

  /** Kills a simulated core. */
  kill(core: SimulatedCore): void {
    core.kill();
    this.#remove(core);
  }

  /** Simulates that a killed core has sent a renewal of its cluster lease, which reaches the owner table only now. */
  renewLate(core: SimulatedCore): void {
    this.#world.table.renew(core.self, 'serving', '');
  }

  /** Kills a simulated core, and starts it again with the same address and the same data directory. */
  restart(core: SimulatedCore): void {
    this.kill(core);
    this.#start(core.self.address, core.self.id);
  }

  /** Stops a core gracefully, or kills it if it has not joined the cluster yet. */
  stop(core: SimulatedCore): void {
    const closed = core.ownership?.close() ?? Promise.resolve();
    void closed.then(() => this.kill(core));
    this.cores = this.cores.filter(each => each !== core);
  }

  /** While `work` runs, the cores have no connection to the owner table (which core owns which servers). */
  async withoutTable(work: () => Promise<void>): Promise<void> {
    const cores = [...this.cores];
    for (const core of cores) core.isCutOff = true;
    await work();
    for (const core of cores) core.isCutOff = false;
  }

  async run(ms: number): Promise<void> {
    await this.clock.run(this.clock.now + ms);
    assert.deepEqual(this.#faults, []);
    for (const core of this.cores) {
      if (!core.lost) continue;
      this.lost++;
      this.#remove(core);
    }
  }

  /**
   * Runs the simulation until each bucket of servers is served by the core that should own it. Returns how
   * often any core loaded a bucket during this run.
   */
  async settle(): Promise<number> {
    const before = this.takeovers;
    const deadline = this.clock.now + SETTLED_MS;
    while (!this.#isSettled()) {
      assert.ok(this.clock.now < deadline, 'the cores do not share the buckets');
      await this.run(LOOK_MS);
      this.checkOwners();
    }
    return this.takeovers - before;
  }

  /** Throws an AssertionError if a bucket of servers is owned by two simulated cores. */
  checkOwners(): void {
    const owners = new Map<number, SimulatedCore>();
    for (const core of this.cores) {
      for (const bucket of core.loaded) {
        if (!core.owns(bucket)) continue;
        const other = owners.get(bucket);
        assert.ok(!other, `bucket ${bucket} has the owners ${core.self.id} and ${other?.self.id}`);
        owners.set(bucket, core);
      }
    }
  }

  /** For each simulated core, the number of buckets of servers that the core has loaded. */
  get loads(): number[] {
    const counts = new Map(this.cores.map(core => [core, 0]));
    for (const core of this.#servedBy.slice(0, SERVER_BUCKETS))
      if (core) counts.set(core, (counts.get(core) ?? 0) + 1);
    return [...counts.values()];
  }

  /** The lead: the simulated core that owns the accounts (tokens and their usage). */
  get lead(): SimulatedCore | undefined {
    return this.#servedBy[SERVER_BUCKETS];
  }

  #isSettled(): boolean {
    const live = this.cores.filter(core => core.isRunning);
    if (live.length === 0 || live.some(({ ownership }) => !ownership)) return false;
    const members = live.map(({ self }) => self).sort((a, b) => (a.id < b.id ? -1 : 1));
    const { owners } = this.#world.assignment.of(members);
    return this.#servedBy.every((core, bucket) => {
      if (!core?.owns(bucket)) return false;
      return bucket >= SERVER_BUCKETS ? core === this.lead : core.self.id === owners[bucket];
    });
  }

  #noteLoaded(core: SimulatedCore, buckets: readonly number[]): void {
    const { now } = this.clock;
    for (const bucket of buckets) {
      const before = this.#servedBy[bucket];
      if (before !== undefined && before !== core && before.owns(bucket))
        this.#faults.push(`bucket ${bucket} is loaded by ${core.self.id} while ${before.self.id} owns it`);
      const since = this.#freeSince[bucket] ?? -1;
      if (since >= 0) this.longestGapMs = Math.max(this.longestGapMs, now - since);
      this.#freeSince[bucket] = -1;
      this.#servedBy[bucket] = core;
    }
    this.takeovers += buckets.length;
  }

  #noteUnloaded(core: SimulatedCore, buckets: readonly number[]): void {
    for (const bucket of buckets) {
      if (this.#servedBy[bucket] !== core) continue;
      this.#servedBy[bucket] = undefined;
      this.#freeSince[bucket] = this.clock.now;
    }
  }

  #remove(core: SimulatedCore): void {
    this.cores = this.cores.filter(each => each !== core);
    const served = this.#servedBy.flatMap((each, bucket) => (each === core ? [bucket] : []));
    this.#noteUnloaded(core, served);
  }
}
