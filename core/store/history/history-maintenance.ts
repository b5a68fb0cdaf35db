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
  type Tier,
} from './periods.ts';

/**
 * A day is rolled up this time after its end, ms. The last hours that begin in the day end up to one hour after the
 * day, and an hour is stored with the first sample of a later hour. So nearly all hours are stored by then. Hours that
 * are stored later are rolled up one by one.
 */
const GRACE_MS = 3 * HOUR_MS;
/**
 * After the start of the core, no day is rolled up for this time, ms. In this time, the first probe of each server
 * stores the hour that was open when the core stopped.
 */
const START_GRACE_MS = HOUR_MS / 4;
/** Number of entries of removed servers that are checked at a time. */
const PAGE = 1_000;

/** True if a day ended so long ago that it can be rolled up. `day`: begin of the day. */
function isOver(day: number, now: number): boolean {
  return day + DAY_MS + GRACE_MS <= now;
}

/** How long each resolution of the history is kept, ms. */
export type Retention = Readonly<Record<Tier, number>>;

/** Dependencies of `HistoryMaintenance`. */
export interface HistoryMaintenanceDependencies {
  directories: HistoryDirectories;
  rollup: DayRollup;
  retention: Retention;
  now: () => number;
  /**
   * Stores copies of samples in the history: of each server whose current hour (open hour) began before a time, Unix
   * ms. The samples also stay in the records of the servers.
   */
  sealOpenHours: (before: number) => Promise<void>;
  /** Resolves when all queued writes of the history are written. */
  settle: () => Promise<void>;
}

/** Rolls up days that are over, compacts months that are finished, and deletes directories that are too old. */
export class HistoryMaintenance {
  readonly #dependencies: HistoryMaintenanceDependencies;
  /** Paths of the directories of samples whose day is rolled up. */
  readonly #rolled = new Set<string>();
  /** Paths of the directories of months that are compacted. */
  readonly #compacted = new Set<string>();
  /**
   * Begin of the day that is being rolled up (summed into quarter hours and a day); undefined if no roll-up is running.
   */
  #rolling: number | undefined;
  #running: Promise<void> | undefined;
  #cleanedDay = 0;
  /**
   * Paths of the directories of samples that can contain late hours, which came after the roll-up of their day.
   * Undefined before the first run, when every directory can.
   */
  #late: Set<string> | undefined;
  readonly #startedAt: number;

  constructor(dependencies: HistoryMaintenanceDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.now();
  }

  /** Adds a directory of samples to those that contain late hours. */
  noteLate(path: string): void {
    this.#late?.add(path);
  }

  /** True while the day of a directory of samples is being rolled up. */
  isBeingRolledUp(path: string): boolean {
    const period = periodAt(path);
    return period !== undefined && dayBegin(period.from) === this.#rolling;
  }

  /** Waits until the maintenance run in progress, if any, has ended. */
  async settle(): Promise<void> {
    await this.#running?.catch(() => {});
  }

  /** Does all maintenance that is due. If a run is in progress, waits for this run and starts none. */
  run(): Promise<void> {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #runAll(): Promise<void> {
    const now = this.#dependencies.now();
    const isSettled = now >= this.#startedAt + START_GRACE_MS;
    if (isSettled) await this.#rollUpDays(now);
    await this.#deleteOld(now);
    if (isSettled) await this.#compactFinished(now);
    if (dayBegin(now) === this.#cleanedDay) return;
    this.#cleanedDay = dayBegin(now);
    await this.#forgetRemovals(now);
  }

  async #rollUpDays(now: number): Promise<void> {
    const over = this.#periods('minutes').filter(({ from }) => isOver(dayBegin(from), now));
    for (const day of new Set(over.map(({ from }) => dayBegin(from)))) await this.#rollUpDay(day, now);
    const late = this.#late;
    this.#late = new Set();
    for (const period of over) {
      if (late && !late.has(period.path)) continue;
      // The last hours that begin in a day reach into the next day, so both days are rolled up again.
      const days = [dayBegin(period.from), dayBegin(period.to)].filter(day => isOver(day, now));
      await this.#dependencies.rollup.rollUpLate(period, [...new Set(days)]);
    }
  }

  #periods(tier: Tier): Period[] {
    return [...this.#dependencies.directories.paths]
      .flatMap(path => periodAt(path) ?? [])
      .filter(period => period.tier === tier)
      .sort((a, b) => a.from - b.from);
  }

  async #rollUpDay(day: number, now: number): Promise<void> {
    const { rollup, directories } = this.#dependencies;
    const periods = periodsBetween('minutes', day, day + DAY_MS).filter(({ path }) => directories.has(path));
    const open: Period[] = [];
    for (const period of periods) {
      if (this.#rolled.has(period.path)) continue;
      if (await rollup.isRolled(period.path)) this.#rolled.add(period.path);
      else open.push(period);
    }
    if (open.length === 0) return;
    // If a server was not probed since the end of the day, an hour of this day is still open in its record, perhaps for
    // days. The roll-up needs the samples of this hour now.
    await this.#dependencies.sealOpenHours(day + DAY_MS);
    // Writes all queued hours first, because hours that are written after `#rolling` is set count as late.
    await this.#dependencies.settle();
    this.#rolling = day;
    try {
      await this.#dependencies.settle();
      await rollup.rollUpAll(day);
      // The last hours of the day reach into the next day. If the next day was rolled up before, rolls it up again.
      const next = day + DAY_MS;
      if (isOver(next, now) && this.#isRolledUp(next)) await rollup.rollUpAll(next);
      for (const { path } of open) {
        await rollup.markRolled(path);
        this.#rolled.add(path);
      }
    } finally {
      this.#rolling = undefined;
    }
  }

  /**
   * Compacts the months whose last day is rolled up. All days of a server in a month are one value, which is replaced
   * each day. Compaction removes the replaced values: a finished month takes 51 instead of 105 to 150 bytes a server.
   */
  async #compactFinished(now: number): Promise<void> {
    for (const { path, to } of this.#periods('days')) {
      if (this.#compacted.has(path) || !isOver(to - DAY_MS, now) || !this.#isRolledUp(to - DAY_MS)) continue;
      await compactOnce(this.#dependencies.directories, path);
      this.#compacted.add(path);
    }
  }

  /** Deletes the directories of the history that are older than the retention. */
  async #deleteOld(now: number): Promise<void> {
    const { directories, retention } = this.#dependencies;
    for (const tier of ['minutes', 'quarters', 'days'] as const) {
      for (const period of this.#periods(tier)) {
        const { path, to } = period;
        // The hour of a server ends up to one hour after its calendar hour.
        const end = tier === 'minutes' ? to + HOUR_MS : to;
        if (end + retention[tier] > now) continue;
        if (tier === 'minutes' && !(await this.#isFinished(period, now))) continue;
        this.#rolled.delete(path);
        this.#compacted.delete(path);
        await directories.delete(path);
      }
    }
  }

  /**
   * True if all days into which the samples of a period reach are rolled up. If no hours begin in the last of these
   * days, rolls this day up itself, because nothing else does.
   */
  async #isFinished({ path, to }: Period, now: number): Promise<boolean> {
    const next = dayBegin(to);
    if (!this.#rolled.has(path) || !isOver(next, now) || !this.#isRolledUp(next)) return false;
    const { rollup, directories } = this.#dependencies;
    const periods = periodsBetween('minutes', next, next + DAY_MS);
    if (!periods.some(each => directories.has(each.path))) await rollup.rollUpAll(next);
    return this.#late?.has(path) !== true;
  }

  #isRolledUp(day: number): boolean {
    const { directories } = this.#dependencies;
    return periodsBetween('minutes', day, day + DAY_MS).every(
      ({ path }) => !directories.has(path) || this.#rolled.has(path),
    );
  }

  /** Deletes the entries of removed servers that are older than all data in the history. */
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
