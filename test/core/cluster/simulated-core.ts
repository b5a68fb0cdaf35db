import type { BucketAssignment } from '../../../core/cluster/bucket-assignment.ts';
import { ALL_BUCKETS } from '../../../core/cluster/buckets.ts';
import { type MemberClock, Membership } from '../../../core/cluster/membership.ts';
import type { Member } from '../../../core/cluster/ownership.ts';
import { type BucketStore, TableOwnership } from '../../../core/cluster/table-ownership.ts';
import type { VirtualClock } from '../../truth/virtual-clock.ts';
import { type SimulatedTable, tableOf } from './simulated-table.ts';

/** Number of times that pending promise callbacks run after each event of the virtual clock. */
const SETTLED_TURNS = 24;

/** What all cores of a simulated cluster share. */
export interface SimulatedWorld {
  clock: VirtualClock;
  random: (below: number) => number;
  table: SimulatedTable;
  assignment: BucketAssignment;
  /** Epoch of the stored fence of each bucket. */
  fences: Float64Array;
  /** One of so many messages is lost; 0 if none is lost. */
  lossOneIn: number;
  /** Called when a core has loaded buckets and serves them. */
  onLoaded(core: SimulatedCore, buckets: readonly number[]): void;
  /** Called when a core stops serving buckets. */
  onUnloaded(core: SimulatedCore, buckets: readonly number[]): void;
}

/** Returns the fences of buckets that nobody has ever owned. */
export function newFences(): Float64Array {
  return new Float64Array(ALL_BUCKETS);
}

/** A core process of a simulated cluster. It can be killed, and can stand still. */
export class SimulatedCore {
  readonly self: Member;
  /** The error with which the core has lost its membership. */
  lost: Error | undefined;
  ownership: TableOwnership | undefined;
  /** If true, no message from or to the core arrives. */
  isCutOff = false;
  /** The buckets that the core had loaded when it announced the last change. */
  loaded: ReadonlySet<number> = new Set();
  readonly #world: SimulatedWorld;
  #isKilled = false;
  /** The callbacks that wait until the core continues; undefined while it runs. */
  #waiting: (() => void)[] | undefined;

  private constructor(world: SimulatedWorld, self: Member) {
    this.#world = world;
    this.self = self;
  }

  /** Starts a core. It joins as soon as a message reaches the table. */
  static start(world: SimulatedWorld, self: Member): SimulatedCore {
    const core = new SimulatedCore(world, self);
    void core.#join();
    return core;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  /** True if the process runs and answers calls. */
  get isRunning(): boolean {
    return !this.#isKilled && this.#waiting === undefined && this.lost === undefined;
  }

  owns(bucket: number): boolean {
    return !this.#isKilled && this.lost === undefined && this.ownership?.owns(bucket) === true;
  }

  kill(): void {
    this.#isKilled = true;
  }

  /** Lets the process stand still. */
  freeze(): void {
    this.#waiting ??= [];
  }

  /** Lets the process continue: all timers that were due run now. */
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
      const joined = await own.renew('joined', '').catch(() => undefined);
      if (!joined) continue;
      const onLost = (error: Error): void => {
        this.lost = error;
      };
      const options = { self: this.self, state: 'joined' as const, table: own, clock: this.#clock(), onLost };
      const membership = new Membership(options, joined, began);
      const ownership = new TableOwnership({ membership, store: this.#store(), assignment, warn: () => {} });
      this.ownership = ownership;
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
    if (ownership.ownedBuckets === before.size) return;
    const loaded = new Set<number>();
    for (let bucket = 0; bucket < ALL_BUCKETS; bucket++) if (ownership.hasLoaded(bucket)) loaded.add(bucket);
    this.loaded = loaded;
    const added = [...loaded].filter(bucket => !before.has(bucket));
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
    const { fences } = this.#world;
    return {
      refusal: undefined,
      takeBuckets: async (buckets, epoch) => {
        await this.#travel();
        if (this.isCutOff || this.#isOneIn(this.#world.lossOneIn))
          return { kind: 'failed', error: new Error('no answer') };
        const newer = Math.max(...buckets.map(bucket => fences[bucket] ?? 0));
        for (const bucket of buckets) if ((fences[bucket] ?? 0) < epoch) fences[bucket] = epoch;
        await this.#travel();
        return newer >= epoch ? { kind: 'newer', epoch: newer } : { kind: 'taken' };
      },
      dropBuckets: () => this.#travel(),
      finishLoading: () => this.#travel(),
    };
  }

  /** Waits for the time that a message takes: 1 to 6 ms, times `factor`. */
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

  /** Makes the virtual clock run promise callbacks several times before the time goes on. */
  #settle(turns: number): void {
    if (turns > 0) this.#world.clock.soon(() => this.#settle(turns - 1));
  }

  #isOneIn(count: number): boolean {
    return count > 0 && this.#world.random(count) === 0;
  }
}
