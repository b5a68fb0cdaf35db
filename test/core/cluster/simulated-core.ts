import type { BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import type { BucketStore } from '../../../core/cluster/bucket-store.ts';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { type MemberClock, Membership } from '../../../core/cluster/membership.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { TableOwnership } from '../../../core/cluster/table-ownership.ts';
import type { VirtualClock } from '../../truth/virtual-clock.ts';
import { type SimulatedTable, tableOf } from './simulated-table.ts';

/**
 * How many times the virtual clock runs the pending promise callbacks after an event. Once is not enough, because these
 * callbacks can add further callbacks.
 */
const SETTLED_TURNS = 24;

/**
 * The storage engine of a simulated cluster. `canWrite`: false while it cannot store data of a bucket, for example
 * because no replica confirms. `canTake`: false while no core can become the owner of buckets.
 */
export interface SimulatedEngine {
  canWrite: boolean;
  canTake: boolean;
}

/** The objects that all cores of a simulated cluster share, such as the clock and the table of owners. */
export interface SimulatedWorld {
  clock: VirtualClock;
  random: (below: number) => number;
  table: SimulatedTable;
  assignment: BucketAssignment;
  /**
   * Epoch (ownership number) of the newest owner of each bucket (group of servers). Each new owner gets a larger epoch,
   * and a core with a smaller epoch has lost the bucket.
   */
  fences: Float64Array;
  /** Number n: on average, the simulated network loses one of n messages. 0 if it loses none. */
  lossOneIn: number;
  /** Which changes the simulated storage engine accepts. */
  engine: SimulatedEngine;
  /** Called when a core has loaded `buckets` (groups of servers) and begins to serve them. */
  onLoaded(core: SimulatedCore, buckets: readonly number[]): void;
  /** Called when a core stops serving `buckets` (groups of servers). */
  onUnloaded(core: SimulatedCore, buckets: readonly number[]): void;
}

/** Returns the first epoch (ownership number) of each bucket of servers: 0, because no core has owned it yet. */
export function newFences(): Float64Array {
  return new Float64Array(ALL_BUCKETS);
}

/** A core process of a simulated cluster. A test can kill the process, or freeze it for a time. */
export class SimulatedCore {
  readonly self: Member;
  /** Error that ended the membership of the core in the cluster. Undefined while the core is a member. */
  lost: Error | undefined;
  ownership: TableOwnership | undefined;
  membership: Membership | undefined;
  /** If true, the simulated network delivers no message from or to the core. */
  isCutOff = false;
  /** The buckets of servers that the core serves: it loaded them while its lease was valid, and still has them. */
  loaded: ReadonlySet<number> = new Set();
  readonly #world: SimulatedWorld;
  readonly #former: string | undefined;
  #isKilled = false;
  /**
   * Timer callbacks that wait while this simulated core is frozen. They run when the core continues. Undefined while
   * the core is not frozen.
   */
  #waiting: (() => void)[] | undefined;

  private constructor(world: SimulatedWorld, self: Member, former: string | undefined) {
    this.#world = world;
    this.self = self;
    this.#former = former;
  }

  /**
   * Starts a simulated core. The core joins the cluster when its first message reaches the shared table of cores.
   * `former`: id of the killed core that this core replaces.
   */
  static start(world: SimulatedWorld, self: Member, former?: string): SimulatedCore {
    const core = new SimulatedCore(world, self, former);
    void core.#join();
    return core;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** True if the simulated process runs and answers calls. */
  get isRunning(): boolean {
    return !this.#isKilled && this.#waiting === undefined && this.lost === undefined;
  }

  owns(bucket: number): boolean {
    return !this.#isKilled && this.lost === undefined && this.ownership?.owns(bucket) === true;
  }

  kill(): void {
    this.#isKilled = true;
  }

  /** Freezes the simulated process: its timers run only after `thaw`. */
  freeze(): void {
    this.#waiting ??= [];
  }

  /** Lets a frozen process continue: all timers that became due while it was frozen run now. */
  thaw(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiting) run();
    this.#settle(SETTLED_TURNS);
  }

  async #join(): Promise<void> {
    const { table, assignment } = this.#world;
    const path = {
      travel: () => this.#travel(),
      isLost: () => this.isCutOff || this.#isOneIn(this.#world.lossOneIn),
    };
    const own = tableOf(table, this.self, path);
    for (;;) {
      const began = this.#world.clock.now;
      const joined = await own.renew('joined', '', '').catch(() => undefined);
      if (!joined) continue;
      const onLost = (error: Error): void => {
        this.lost = error;
      };
      const membership = new Membership(
        { self: this.self, state: 'joined', table: own, clock: this.#clock(), onLost, onPaused: () => {} },
        joined,
        began,
      );
      const ownership = new TableOwnership({
        ...{ membership, store: this.#store(), assignment, former: this.#former, warn: () => {} },
      });
      this.ownership = ownership;
      this.membership = membership;
      ownership.start({
        take: () => this.#travel(5),
        give: async buckets => {
          this.#world.onUnloaded(this, buckets);
          await this.#travel(5);
        },
      });
      ownership.watch(() => this.#noteLoaded(ownership));
      return;
    }
  }

  #noteLoaded(ownership: TableOwnership): void {
    const before = this.loaded;
    if (!ownership.isValid) {
      // Without a valid cluster lease, a core may stop serving buckets of servers, but must not start to serve any.
      this.loaded = new Set([...before].filter(bucket => ownership.loaded.has(bucket)));
      return;
    }
    if (ownership.loaded.size === before.size) return;
    this.loaded = new Set(ownership.loaded);
    const added = [...this.loaded].filter(bucket => !before.has(bucket)).sort((a, b) => a - b);
    if (added.length > 0) this.#world.onLoaded(this, added);
  }

  #clock(): MemberClock {
    return {
      now: () => this.#world.clock.now,
      after: (ms, run) => {
        let isCancelled = false;
        this.#after(ms, () => {
          if (!isCancelled) run();
        });
        return () => {
          isCancelled = true;
        };
      },
    };
  }

  #store(): BucketStore {
    const { fences, engine } = this.#world;
    const own = new Map<number, number>();
    return {
      refusal: undefined,
      checkBuckets: async () => {
        await this.#travel();
        if (this.isCutOff) throw new Error('no answer');
        if (![...own].some(([bucket, epoch]) => (fences[bucket] ?? 0) > epoch)) return;
        this.lost = new Error('another core has a newer fence');
        throw this.lost;
      },
      takeBuckets: async (buckets, epoch) => {
        await this.#travel();
        if (this.isCutOff || !engine.canTake || this.#isOneIn(this.#world.lossOneIn))
          return { kind: 'failed', error: new Error('no answer') };
        const newer = Math.max(...buckets.map(bucket => fences[bucket] ?? 0));
        for (const bucket of buckets) if ((fences[bucket] ?? 0) < epoch) fences[bucket] = epoch;
        await this.#travel();
        if (newer >= epoch) return { kind: 'newer', epoch: newer };
        for (const bucket of buckets) own.set(bucket, epoch);
        return { kind: 'taken' };
      },
      canWrite: async () => {
        await this.#travel();
        return engine.canWrite;
      },
      dropBuckets: buckets => {
        for (const bucket of buckets) own.delete(bucket);
        return this.#travel();
      },
      finishLoading: () => this.#travel(),
    };
  }

  /** Waits for the time that a message between simulated processes takes: 1 to 6 ms, times `factor`. */
  #travel(factor = 1): Promise<void> {
    return new Promise(resolve => this.#after((1 + this.#world.random(6)) * factor, resolve));
  }

  #after(ms: number, run: () => void): void {
    this.#world.clock.after(ms, () => {
      if (this.#isKilled || this.lost) return;
      if (this.#waiting) {
        this.#waiting.push(run);
        return;
      }
      run();
      this.#settle(SETTLED_TURNS);
    });
  }

  /** Gives the waiting promise callbacks `turns` chances to run. The virtual clock advances only after that. */
  #settle(turns: number): void {
    if (turns > 0) this.#world.clock.soon(() => this.#settle(turns - 1));
  }

  #isOneIn(count: number): boolean {
    return count > 0 && this.#world.random(count) === 0;
  }
}
