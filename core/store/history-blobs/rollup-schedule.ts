import { DAY_MS, dayBegin, HOUR_MS, periodAt, periodsBetween, reachedDays } from '../history/periods.ts';
import { CorruptBlob, HEADER_BYTES, readHeader } from './blob-format.ts';
import type { BlobName, BlobSlice, BlobStore } from './blob-store.ts';
import type { BucketRollup, RolledBucket, RolledServer } from './bucket-rollup.ts';

/**
 * Time from the end of a day to its roll-up (summary), ms. The history stores samples in blocks of one hour, which
 * begin at a different minute for each server. So the last samples of a day can be in a block that ends on the next
 * day.
 */
const GRACE_MS = 3 * HOUR_MS;
/**
 * Age of the oldest day that a core checks for samples without a summary, ms. The core checks the days of a bucket
 * (group of servers) when it acquires the bucket. The age is a little more than UNROLLED_MS, the extra time for which
 * the history keeps such samples.
 */
const CHECKED_MS = 33 * DAY_MS;
/**
 * Number of buckets whose history is summarised (rolled up) in one step. Each step goes once through all servers of
 * this core, to find the servers that belong to these buckets.
 */
const BUCKETS_AT_ONCE = 64;

/** Access to the tracked servers of this core, grouped by bucket. */
export interface BucketServers {
  /** Returns the buckets whose servers are all in the memory of this core. */
  complete(): number[];
  /** Calls `visit` with each server of these buckets, and with the bucket of the server. */
  visitServers(
    buckets: readonly number[],
    visit: (bucket: number, server: RolledServer) => void,
  ): Promise<void>;
}

/** Dependencies of `RollupSchedule` (decides which days of the history must be summarised). */
export interface RollupScheduleDependencies {
  blobs: Pick<BlobStore, 'epochOf' | 'readSlices'>;
  rollup: Pick<BucketRollup, 'rollUp'>;
  longestHoldMs: number;
  /**
   * Called after the summary (daily figures) of each day of a bucket. The next summary waits for the returned promise,
   * so that other work gets CPU time. `servers`: number of servers in the bucket.
   */
  pause: (servers: number) => Promise<void>;
}

/** The days of a bucket that must still be rolled up. */
interface BucketDays {
  /** Start of the next day to add to `due`, Unix ms. All earlier days are already summarised, or are in `due`. */
  next: number;
  /** Start times (Unix ms) of the days that must be summarised, for the first time or again. */
  due: Set<number>;
}

/** Decides for which buckets and days the history must be rolled up, and rolls up one day after the other. */
export class RollupSchedule {
  readonly #dependencies: RollupScheduleDependencies;
  /**
   * The days that must be summarised, keyed by bucket. A bucket is added after this core has searched the stored
   * history of the bucket for such days. A bucket is removed when this core no longer owns it.
   */
  readonly #days = new Map<number, BucketDays>();
  #late = 0;

  constructor(dependencies: RollupScheduleDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of late writes. A write is late if it adds samples to a day that was already summarised. */
  get late(): number {
    return this.#late;
  }

  /**
   * Call this after each write of history to a blob. If the blob contains samples of a day that was already summarised,
   * this day will be summarised again.
   */
  noteWritten({ bucket, name }: BlobName): void {
    const period = periodAt(name);
    const days = this.#days.get(bucket);
    if (period?.tier !== 'minutes' || !days || dayBegin(period.from) >= days.next) return;
    days.due.add(dayBegin(period.from));
    this.#late++;
  }

  /**
   * Summarises all days that are over and have no summary yet. If this fails for some buckets, still summarises the
   * others, and then rejects with the first error. `closing`: aborts the work.
   */
  async run(servers: BucketServers, now: number, closing: AbortSignal): Promise<void> {
    const { blobs } = this.#dependencies;
    const complete = servers.complete().filter(bucket => blobs.epochOf(bucket) !== undefined);
    const owned = new Set(complete);
    // Forgets the due days (days to summarise) of buckets that this core no longer owns. This list of days can become
    // outdated, because another core can now change the history of these buckets.
    for (const bucket of this.#days.keys()) if (!owned.has(bucket)) this.#days.delete(bucket);
    const failures: unknown[] = [];
    for (let from = 0; from < complete.length && !closing.aborted; from += BUCKETS_AT_ONCE) {
      const some = complete.slice(from, from + BUCKETS_AT_ONCE);
      await this.#runSome(some, servers, now, closing).catch(error => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #runSome(
    buckets: readonly number[],
    servers: BucketServers,
    now: number,
    closing: AbortSignal,
  ): Promise<void> {
    const open: number[] = [];
    for (const bucket of buckets) if ((await this.#dueDays(bucket, now)).size > 0) open.push(bucket);
    if (open.length === 0) return;
    const { blobs } = this.#dependencies;
    const found = new Map<number, { epoch: number; list: RolledServer[] }>();
    for (const bucket of open) found.set(bucket, { epoch: blobs.epochOf(bucket) ?? 0, list: [] });
    await servers.visitServers(open, (bucket, server) => found.get(bucket)?.list.push(server));
    // Skips a bucket that this core has begun to unload, because servers of the bucket can be missing in `list`. A
    // roll-up (daily summary) would delete the history of the missing servers.
    const complete = new Set(servers.complete());
    const failures: unknown[] = [];
    for (const [bucket, { epoch, list }] of found) {
      if (closing.aborted) return;
      if (!complete.has(bucket)) continue;
      await this.#rollUpBucket({ bucket, epoch, servers: list }).catch(error => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #rollUpBucket(rolled: RolledBucket): Promise<void> {
    const { bucket, epoch, servers } = rolled;
    const { blobs, rollup, longestHoldMs, pause } = this.#dependencies;
    const late = new Set<string>();
    for (;;) {
      const days = this.#days.get(bucket);
      const day = days && Math.min(...days.due);
      if (!days || day === undefined || !Number.isFinite(day) || blobs.epochOf(bucket) !== epoch) return;
      days.due.delete(day);
      try {
        await rollup.rollUp(rolled, day, late);
      } catch (error) {
        days.due.add(day);
        throw error;
      }
      // A sample counts as the status of its server for up to `longestHoldMs`. So the samples of this day can also
      // change the figures of the days after it. Those of them that are already over are therefore summarised again.
      for (const later of reachedDays({ from: day, to: day + DAY_MS }, longestHoldMs).slice(1))
        if (later < days.next) days.due.add(later);
      await pause(servers.length);
    }
  }

  /** Returns the days that must be summarised now for a bucket, as start times (Unix ms). */
  async #dueDays(bucket: number, now: number): Promise<ReadonlySet<number>> {
    const end = dayBegin(now - GRACE_MS);
    const days = this.#days.get(bucket) ?? { next: end, due: await this.#unrolled(bucket, end) };
    this.#days.set(bucket, days);
    // Removes days that are not over yet, because they would be summarised again and again. Such days are in `due`
    // only if the clock was set back.
    for (const day of days.due) if (day >= end) days.due.delete(day);
    for (let day = days.next; day < end; day += DAY_MS) days.due.add(day);
    days.next = end;
    return days.due;
  }

  /**
   * Finds the days before `end` (Unix ms) that have samples without a summary. The headers of the history blobs show
   * which samples were already summarised.
   */
  async #unrolled(bucket: number, end: number): Promise<Set<number>> {
    const { blobs, longestHoldMs } = this.#dependencies;
    const periods = periodsBetween('minutes', end - CHECKED_MS, end);
    const heads = await blobs.readSlices(
      bucket,
      periods.map(({ path }) => ({ name: path, from: 0, bytes: HEADER_BYTES })),
    );
    const unrolled = new Set<number>();
    const present = new Set<number>();
    const reached = new Set<number>();
    for (const [i, period] of periods.entries()) {
      const head = heads[i];
      if (!head || head.length === 0) continue;
      const day = dayBegin(period.from);
      present.add(day);
      if (!isRolled(head)) unrolled.add(day);
      for (const each of reachedDays(period, longestHoldMs).slice(1)) reached.add(each);
    }
    // Also returns days that have no samples, but whose figures depend on samples of an earlier day. Such a day has no
    // blob, so no header shows whether the day was already summarised. The core summarises the day in any case.
    for (const day of reached) if (day < end && !present.has(day)) unrolled.add(day);
    return unrolled;
  }
}

/**
 * True if the daily figures already include all samples of a history blob. Returns false if the header of the blob is
 * damaged. The core then reads the blob for a roll-up, finds the damage, and renames the blob.
 */
function isRolled({ header, length }: BlobSlice): boolean {
  try {
    return readHeader(header).rolledBytes === length;
  } catch (error) {
    if (error instanceof CorruptBlob) return false;
    throw error;
  }
}
