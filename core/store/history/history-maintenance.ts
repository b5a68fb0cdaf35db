import type { ClockCheck } from './clock-check.ts';
import { compactOnce } from './compact-once.ts';
import type { DayRollup } from './day-rollup.ts';
import type { HistoryDirectories } from './history-directories.ts';
import { decodeTime, FIRST_HASH, nextHash, openEntry } from './history-entries.ts';
import {
  DAY_MS,
  dayBegin,
  HOUR_MS,
  type Period,
  periodAt,
  periodOf,
  periodsBetween,
  REMOVED,
  reachedDays,
  reachOfSamples,
  type Tier,
} from './periods.ts';

/**
 * Time between the end of a day (UTC) and its roll-up (summary), ms. Most of the last samples of the day arrive in the
 * history during this time. Samples that arrive after the roll-up are rolled up separately.
 */
const GRACE_MS = 3 * HOUR_MS;
/**
 * Delay of the first maintenance of the history after the start of the core, ms. The delay leaves time to correct a
 * wrong clock. It also lets the first probes move the samples of finished hours from the server records to the history.
 */
const START_GRACE_MS = HOUR_MS / 4;
/** Number of entries that are read in one batch. Each entry contains the time at which a server was removed. */
const PAGE = 1_000;

/** True if a day ended so long ago that it can be rolled up. `day`: start of the day. */
function isOver(day: number, now: number): boolean {
  return day + DAY_MS + GRACE_MS <= now;
}

/** How long each resolution of the history is kept, ms. */
export type Retention = Readonly<Record<Tier, number>>;

/** Dependencies of `HistoryMaintenance` (summarises days and deletes old history). */
export interface HistoryMaintenanceDependencies {
  directories: HistoryDirectories;
  rollup: DayRollup;
  retention: Retention;
  /** Longest time for which one sample (stored probe result) can count as the status of its server, ms. */
  longestHoldMs: number;
  now: () => number;
  clock: Pick<ClockCheck, 'uptimeMs' | 'isTrusted'>;
  /**
   * Copies samples (probe results) of unfinished hours from the server records to the history. The samples also stay in
   * the server records. `before`: copies only the hours that began before this time (Unix ms).
   */
  sealOpenHours: (before: number) => Promise<void>;
  /** Resolves when all queued writes of the history are written. */
  settle: () => Promise<void>;
  /** True if writes to the given directory of the history are queued. */
  hasQueued: (path: string) => boolean;
  /** Signal that is aborted when the history closes. */
  closing: AbortSignal;
}

/** Maintains the stored history: rolls up days, compacts months, and deletes old directories. */
export class HistoryMaintenance {
  readonly #dependencies: HistoryMaintenanceDependencies;
  /** Paths of the directories whose samples gsq has already rolled up (summarised into quarter hours and days). */
  readonly #rolled = new Set<string>();
  /** Paths of the LevelDB directories of finished months that are already compacted. */
  readonly #compacted = new Set<string>();
  /**
   * Start of the day that is being rolled up (summed into quarter hours and a day); undefined if no roll-up is running.
   */
  #rolling: number | undefined;
  #running: Promise<void> | undefined;
  #cleanedDay = 0;
  /**
   * Paths of directories that are known to have no late samples. A sample is late if it was stored after the roll-up of
   * its day. `noteLate` removes the path of a directory in which late samples are stored.
   */
  readonly #withoutLate = new Set<string>();
  /** The first error of the current maintenance run of the history. */
  #failure: unknown;

  constructor(dependencies: HistoryMaintenanceDependencies) {
    this.#dependencies = dependencies;
  }

  /** Records that the directory `path` contains late samples: they were written after the roll-up of their day. */
  noteLate(path: string): void {
    this.#withoutLate.delete(path);
  }

  /** True while the core rolls up the day to which the samples in the directory `path` belong. */
  isBeingRolledUp(path: string): boolean {
    const period = periodAt(path);
    return period !== undefined && dayBegin(period.from) === this.#rolling;
  }

  /** Waits until the maintenance run in progress, if any, has ended. */
  async settle(): Promise<void> {
    await this.#running?.catch(() => {});
  }

  /**
   * Rolls up days, compacts months, and deletes old data. If a run is in progress, waits for this run instead. If a
   * step fails, continues with the other steps, and finally rejects with the first error.
   */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #runAll(): Promise<void> {
    const { clock, directories } = this.#dependencies;
    const now = this.#dependencies.now();
    const isTrusted = clock.isTrusted(
      this.#periods('minutes').at(-1)?.to ?? (directories.count === 0 ? now : 0),
    );
    if (clock.uptimeMs < START_GRACE_MS) return;
    this.#failure = undefined;
    await this.#attempt(() => this.#rollUpDays(now));
    // A kill of the core, or an error of the file system, can have interrupted an earlier deletion.
    await this.#attempt(() => directories.deleteRest());
    if (isTrusted) await this.#deleteOld(now);
    for (const month of this.#periods('days')) await this.#attempt(() => this.#compactFinished(month, now));
    if (isTrusted && dayBegin(now) !== this.#cleanedDay) {
      await this.#attempt(() => this.#forgetRemovals(now));
      this.#cleanedDay = dayBegin(now);
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Runs `work`, one step of the history's maintenance. If the step fails, stores its error, so that the next steps can
   * run. If it fails while the history is closing, rejects with this error immediately.
   */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#dependencies.closing.aborted) throw error;
      this.#failure ??= error;
    }
  }

  async #rollUpDays(now: number): Promise<void> {
    if ((await this.#unrolled(now)).length > 0) {
      // Copies the samples of unfinished hours from the server records to the history, because the daily roll-up needs
      // them. Otherwise a server's last samples would stay in its record until the server is probed in a later hour.
      await this.#dependencies.sealOpenHours(dayBegin(now - GRACE_MS));
      await this.#dependencies.settle();
    }
    const open = await this.#unrolled(now);
    for (const day of new Set(open.map(({ from }) => dayBegin(from))))
      await this.#attempt(() => this.#rollUpDay(day, open, now));
    for (const period of this.#over(now))
      if (!this.#withoutLate.has(period.path)) await this.#attempt(() => this.#rollUpLate(period, now));
  }

  /** Returns the directories that contain the samples of past days. Each `Period` describes one directory. */
  #over(now: number): Period[] {
    return this.#periods('minutes').filter(({ from }) => isOver(dayBegin(from), now));
  }

  /** Returns the directories with samples of past days that are not rolled up yet, the oldest first. */
  async #unrolled(now: number): Promise<Period[]> {
    const { rollup } = this.#dependencies;
    const open: Period[] = [];
    for (const period of this.#over(now)) {
      if (this.#rolled.has(period.path)) continue;
      await this.#attempt(async () => {
        if (await rollup.isRolled(period.path)) this.#rolled.add(period.path);
        else open.push(period);
      });
    }
    return open;
  }

  async #rollUpLate(period: Period, now: number): Promise<void> {
    const { rollup, longestHoldMs } = this.#dependencies;
    const days = reachedDays(period, longestHoldMs).filter(day => isOver(day, now));
    await rollup.rollUpLate(period, days);
    this.#withoutLate.add(period.path);
  }

  #periods(tier: Tier): Period[] {
    return [...this.#dependencies.directories.paths]
      .flatMap(path => periodAt(path) ?? [])
      .filter(period => period.tier === tier)
      .sort((a, b) => a.from - b.from);
  }

  /**
   * Rolls up the samples of one day. `open`: all directories whose samples are not rolled up yet, also those of other
   * days. The directories of this day are marked as rolled up at the end.
   */
  async #rollUpDay(day: number, open: readonly Period[], now: number): Promise<void> {
    const { rollup, longestHoldMs } = this.#dependencies;
    // Writes all queued samples before the roll-up of the day begins. Samples that are written during the roll-up are
    // not part of it, and make a second roll-up of the day necessary.
    await this.#dependencies.settle();
    this.#rolling = day;
    try {
      await this.#dependencies.settle();
      await rollup.rollUpAll(day);
      // The last sample of a day gives the status of its server for some time after midnight, so it affects later days.
      // If a later day is already rolled up, it must be rolled up again.
      for (const later of reachedDays({ from: day, to: day + DAY_MS }, longestHoldMs).slice(1))
        if (isOver(later, now) && this.#isRolledUp(later)) await rollup.rollUpAll(later);
      for (const { path, from } of open) {
        if (dayBegin(from) !== day) continue;
        await rollup.markRolled(path);
        this.#rolled.add(path);
      }
    } finally {
      this.#rolling = undefined;
    }
  }

  /**
   * Compacts the LevelDB directory of a month after the roll-up of its last day: deletes replaced values. The month
   * then takes 51 bytes on disk for each server, instead of 105 to 150.
   */
  async #compactFinished({ path, to }: Period, now: number): Promise<void> {
    if (this.#compacted.has(path) || !isOver(to - DAY_MS, now) || !this.#isRolledUp(to - DAY_MS)) return;
    await compactOnce(this.#dependencies.directories, path);
    this.#compacted.add(path);
  }

  /** Deletes the directories of the history that are older than the retention. */
  async #deleteOld(now: number): Promise<void> {
    const { retention, longestHoldMs } = this.#dependencies;
    for (const tier of ['minutes', 'quarters', 'days'] as const) {
      for (const period of this.#periods(tier)) {
        const end = period.to + (tier === 'minutes' ? reachOfSamples(longestHoldMs) : 0);
        if (end + retention[tier] <= now) await this.#attempt(() => this.#delete(period, now));
      }
    }
  }

  async #delete(period: Period, now: number): Promise<void> {
    const { directories, hasQueued } = this.#dependencies;
    const { tier, path } = period;
    if (tier === 'minutes' && !(await this.#isFinished(period, now))) return;
    // Keeps the directory while data waits to be written to it. Otherwise this data would be lost.
    if (hasQueued(path)) return;
    this.#rolled.delete(path);
    this.#compacted.delete(path);
    this.#withoutLate.delete(path);
    await directories.delete(path);
  }

  /**
   * True if a directory of samples can be deleted: it has no late samples (stored after the roll-up), and all days that
   * need its samples are rolled up. A day without samples of its own can need them too, so this method first rolls up
   * such days.
   */
  async #isFinished(period: Period, now: number): Promise<boolean> {
    const { path } = period;
    const { rollup, directories, longestHoldMs } = this.#dependencies;
    if (!this.#rolled.has(path)) return false;
    const days = reachedDays(period, longestHoldMs);
    if (!days.every(day => isOver(day, now) && this.#isRolledUp(day))) return false;
    for (const day of days) {
      const periods = periodsBetween('minutes', day, day + DAY_MS);
      if (!periods.some(each => directories.has(each.path))) await rollup.rollUpAll(day);
    }
    if (!(await rollup.hasLate(path))) return true;
    this.#withoutLate.delete(path);
    return false;
  }

  #isRolledUp(day: number): boolean {
    const { directories } = this.#dependencies;
    return periodsBetween('minutes', day, day + DAY_MS).every(
      ({ path }) => !directories.has(path) || this.#rolled.has(path),
    );
  }

  /** Deletes the removal times (when servers were removed) that are older than all data in the history. */
  async #forgetRemovals(now: number): Promise<void> {
    const { directories, retention } = this.#dependencies;
    const oldest = periodOf('days', now - retention.days).from;
    let from: Buffer | undefined = FIRST_HASH;
    while (from !== undefined) {
      const start: Buffer = from;
      const page = await directories.read(REMOVED, db => db.readRange(start, Buffer.alloc(9, 0xff), PAGE));
      const old = (page ?? []).filter(([key, value]) => {
        const content = openEntry(key, value);
        return !content || decodeTime(content) < oldest;
      });
      if (old.length > 0)
        await directories.write(REMOVED, db => db.writeDurably(old.map(([key]) => ({ type: 'del', key }))));
      const last = page?.at(-1);
      from = page?.length === PAGE && last ? nextHash(last[0]) : undefined;
    }
  }
}
