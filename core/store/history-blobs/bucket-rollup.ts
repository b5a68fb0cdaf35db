import type { SealedHour } from '../../history/history-store.ts';
import { hoursBefore } from '../../history/longest-hold.ts';
import {
  DAY_MS,
  HOUR_MS,
  type Period,
  periodOf,
  periodsBetween,
  reachedDays,
  reachOfSamples,
} from '../history/periods.ts';
import { rollUpDay } from '../history/server-days.ts';
import { eventsIn, slotsIn } from './blob-history.ts';
import type { BlobReader } from './blob-reader.ts';
import { asideName, type BlobReplacement, type BlobStore } from './blob-store.ts';
import { type BlobContent, readContents } from './bucket-content.ts';
import { decodeRemoval, encodeEvents, encodeRemoval, encodeSlots, visitSlots } from './frame-bodies.ts';
import { expiryOf, incidentMonth, REMOVED, type Retention } from './history-periods.ts';

/**
 * Number of servers whose daily figures are computed (rolled up) in one turn of the event loop. Such a turn takes about
 * 4 ms.
 */
const SERVERS_AT_A_TIME = 6;
/**
 * Maximum number of attempts to roll up a day (compute its figures). An attempt fails if new data of the day is stored
 * during the attempt.
 */
const MOST_ATTEMPTS = 5;

/** A tracked server, with the samples of its unfinished hour, which are not in the history yet. */
export interface RolledServer {
  readonly key: string;
  readonly openHour: SealedHour | undefined;
}

/**
 * A bucket (group of servers) that this core owns, and all its servers. `epoch`: number of this ownership. A core gets
 * a new number each time it acquires a bucket.
 */
export interface RolledBucket {
  readonly bucket: number;
  readonly epoch: number;
  readonly servers: readonly RolledServer[];
}

/** Options of `BucketRollup` (computes the daily figures of the history). */
export interface BucketRollupDependencies {
  reader: BlobReader;
  blobs: Pick<BlobStore, 'replace'>;
  retention: Retention;
  /** Longest time for which one sample (stored probe result) can count as the status of its server, ms. */
  longestHoldMs: number;
  now: () => number;
}

/** The blobs with samples of servers (tier `minutes`), oldest first. `period`: the span of time that a blob covers. */
type Minutes = readonly { readonly period: Period; readonly content: BlobContent }[];

/** The blobs (stored values of the history) that the roll-up of a day reads to compute the daily figures. */
interface DayBlobs {
  readonly day: number;
  readonly minutes: Minutes;
  readonly quarters: BlobContent;
  readonly month: BlobContent;
  readonly removed: BlobContent;
  readonly late: Set<string>;
  /**
   * Spans of time whose samples are lost, because the blob (stored value) that contained them was damaged and moved
   * aside.
   */
  readonly lost: readonly Period[];
}

type Frame = readonly [hash: number, body: Buffer];

/**
 * New content of the blobs (stored strings) that change when the figures of a day are computed. A frame is the data of
 * one server in a blob. `minutes`: frames with samples, keyed by the name of their blob, such as
 * `minutes/2026-11-24T06`.
 */
interface NewFrames {
  readonly minutes: Map<string, Frame[]>;
  readonly quarters: Frame[];
  readonly month: Frame[];
}

/**
 * Rolls up a day of one bucket: computes figures of the quarter hours and of the day. The write that stores these
 * figures also marks the samples as rolled up.
 */
export class BucketRollup {
  readonly #dependencies: BucketRollupDependencies;
  #servers = 0;

  constructor(dependencies: BucketRollupDependencies) {
    this.#dependencies = dependencies;
  }

  /** Number of daily summaries (roll-ups) so far. Each day of each server counts as one. */
  get servers(): number {
    return this.#servers;
  }

  /**
   * Rolls up one day of a bucket: computes the daily figures of its servers. All earlier days must be rolled up first.
   * Rolling up the same day again is safe. `epoch`: number that this core got when it acquired the bucket. The caller
   * must read this number before it lists `servers`. If another core has taken over the bucket after that, the roll-up
   * rejects. `late`: keys of the servers with late samples (stored after the last roll-up of their day). This method
   * adds keys to it.
   */
  async rollUp({ bucket, epoch, servers }: RolledBucket, day: number, late: Set<string>): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++)
      if (await this.#rollUpOnce({ bucket, epoch, servers }, day, late)) return;
    throw new Error('the samples of a day change too often to be rolled up');
  }

  async #rollUpOnce(
    { bucket, epoch, servers }: RolledBucket,
    day: number,
    late: Set<string>,
  ): Promise<boolean> {
    const first = day - hoursBefore(this.#dependencies.longestHoldMs) * HOUR_MS;
    const periods = periodsBetween('minutes', first, day + DAY_MS);
    const names = [...periods.map(({ path }) => path), periodOf('quarters', day).path];
    const others = [periodOf('days', day).path, incidentMonth(day).name, REMOVED];
    const contents = await readContents(this.#dependencies.reader, bucket, [...names, ...others]);
    const [quarters, month, incidents, removed] = contents.splice(periods.length);
    if (!quarters || !month || !incidents || !removed) return false;
    const minutes = periods.flatMap((period, i) => {
      const content = contents[i];
      return content ? [{ period, content }] : [];
    });
    const asides = await this.#dependencies.reader.headsOf(
      bucket,
      periods.map(({ path }) => asideName(path)),
    );
    const lost = periods.filter(({ path }) => asides.has(asideName(path)));
    const blobs = { day, minutes, quarters, month, removed, late, lost };
    const isEmpty = minutes.every(({ content }) => content.length === 0);
    if (isEmpty && !servers.some(({ openHour }) => openHour && openHour.hour >= first)) return true;
    const frames = await this.#compute(blobs, servers);
    const replacements = [
      ...this.#minuteReplacements(blobs, frames),
      ...this.#replacement(quarters, periodOf('quarters', day).path, frames.quarters),
      ...this.#replacement(month, periodOf('days', day).path, frames.month),
      ...this.#replacement(incidents, incidentMonth(day).name, packedEvents(incidents, day)),
      ...this.#replacement(removed, REMOVED, this.#recentRemovals(removed)),
    ];
    return replacements.length === 0 || (await this.#dependencies.blobs.replace(bucket, epoch, replacements));
  }

  async #compute(blobs: DayBlobs, servers: readonly RolledServer[]): Promise<NewFrames> {
    // `servers` contains only tracked servers. The samples of all other servers are dropped.
    const frames: NewFrames = { minutes: new Map(), quarters: [], month: [] };
    for (const [i, server] of servers.entries()) {
      if (i % SERVERS_AT_A_TIME === SERVERS_AT_A_TIME - 1) await new Promise(setImmediate);
      this.#computeServer(blobs, server, frames);
    }
    return frames;
  }

  #computeServer(blobs: DayBlobs, server: RolledServer, frames: NewFrames): void {
    const { day, minutes, quarters, month, late } = blobs;
    const { key } = server;
    const hours: SealedHour[] = [];
    for (const { period, content } of minutes) {
      const slots = slotsIn(period, [...content.bodiesOf(key), ...openBody(server, period)]);
      if (slots.size === 0) continue;
      const known = slotsIn(period, content.rolledBodiesOf(key));
      if ([...slots].some(([slot, samples]) => !known.get(slot)?.equals(samples))) late.add(key);
      for (const [slot, samples] of slots) hours.push({ hour: period.from + slot * HOUR_MS, samples });
      const list = frames.minutes.get(period.path) ?? [];
      frames.minutes.set(period.path, list);
      list.push([content.hashOf(key), sortedSlots(slots)]);
    }
    const slots = new Map<number, Buffer>();
    for (const body of quarters.bodiesOf(key)) visitSlots(body, (slot, content) => slots.set(slot, content));
    const slot = (day - periodOf('quarters', day).from) / DAY_MS;
    const storedMonth = month.bodiesOf(key).at(-1);
    const rolled = this.#rollUpServer(blobs, key, hours, slots.get(slot), storedMonth);
    if (rolled) slots.set(slot, rolled.quarters);
    const newMonth = rolled?.month ?? storedMonth;
    if (slots.size > 0) frames.quarters.push([quarters.hashOf(key), sortedSlots(slots)]);
    if (newMonth) frames.month.push([month.hashOf(key), newMonth]);
  }

  /**
   * Computes the daily figures of one server (online time and players). `quarters`: stored figures of the quarter hours
   * of this day, if any. `month`: stored figures of the days of this month, if any.
   */
  #rollUpServer(
    { day, removed, late, lost }: DayBlobs,
    key: string,
    hours: SealedHour[],
    quarters: Buffer | undefined,
    month: Buffer | undefined,
  ): ReturnType<typeof rollUpDay> {
    const before = hoursBefore(this.#dependencies.longestHoldMs);
    const isPartial = lost.length > 0 || this.#isOld(day - before * HOUR_MS);
    // If some samples of the day are lost or deleted, new figures would be less exact than the stored figures. So the
    // stored figures stay. They are computed again only if the server has late samples (stored after the last roll-up),
    // because the stored figures do not contain these samples.
    if (hours.length === 0 || (quarters && isPartial && !late.has(key))) return undefined;
    this.#servers++;
    return rollUpDay({
      day,
      hours: hours.sort((a, b) => a.hour - b.hour),
      quarters,
      month,
      period: periodOf('days', day),
      removedAt: Math.max(0, ...removed.bodiesOf(key).map(decodeRemoval)),
      isMissing: hour => this.#isOld(hour) || lost.some(({ from, to }) => hour >= from && hour < to),
      hoursBefore: before,
    });
  }

  /** True if the stored samples of an hour are old enough to be deleted. */
  #isOld(hour: number): boolean {
    const { retention, now } = this.#dependencies;
    return periodOf('minutes', hour).to + retention.minutes <= now();
  }

  /**
   * Returns the changes that the roll-up of a day makes to the blobs with samples. The changes join the samples of each
   * server in one frame, and mark the samples of the day as rolled up (summarised).
   */
  #minuteReplacements({ day, minutes }: DayBlobs, frames: NewFrames): BlobReplacement[] {
    const { retention, longestHoldMs, now } = this.#dependencies;
    return minutes.flatMap(({ period, content }): BlobReplacement[] => {
      const { path } = period;
      // Keeps samples longer than their retention if the figures of a later day still have to be computed from these
      // samples. The samples are deleted only after this computation (roll-up).
      const isFinal = reachedDays(period, longestHoldMs).every(each => each <= day);
      const expiresAt = isFinal
        ? period.to + reachOfSamples(longestHoldMs) + retention.minutes
        : expiryOf(path, retention, now());
      const packed = frames.minutes.get(path) ?? [];
      if (period.from >= day)
        return content.length + packed.length > 0 ? [content.replacement(path, packed, expiresAt, true)] : [];
      const { length } = content;
      return length > 0 ? [{ name: path, length, act: 'keep', blob: Buffer.alloc(0), expiresAt }] : [];
    });
  }

  #replacement(content: BlobContent, name: string, frames: readonly Frame[]): BlobReplacement[] {
    const { retention, now } = this.#dependencies;
    if (content.length + frames.length === 0) return [];
    return [content.replacement(name, frames, expiryOf(name, retention, now()))];
  }

  /**
   * Returns a frame (the data of one server) for each removed server. The frame contains the time of the last removal
   * of the server. Leaves out removals that are older than the oldest data of the history.
   */
  #recentRemovals(removed: BlobContent): Frame[] {
    const { retention, now } = this.#dependencies;
    const oldest = periodOf('days', now() - retention.days).from;
    const newest = Array.from(removed.frames, ([hash, bodies]): [number, number] => [
      hash,
      Math.max(...bodies.map(decodeRemoval)),
    ]);
    return newest.filter(([, at]) => at >= oldest).map(([hash, at]) => [hash, encodeRemoval(at)]);
  }
}

function sortedSlots(slots: ReadonlyMap<number, Buffer>): Buffer {
  return encodeSlots([...slots].sort(([a], [b]) => a - b));
}

/**
 * Returns the samples of a server's unfinished hour, encoded in the format of stored samples. Returns an empty list if
 * the hour is not in `period`, or if the server has no such samples.
 */
function openBody({ openHour }: RolledServer, { from, to }: Period): Buffer[] {
  if (!openHour || openHour.hour < from || openHour.hour >= to) return [];
  return [encodeSlots([[(openHour.hour - from) / HOUR_MS, Buffer.from(openHour.samples)]])];
}

/**
 * Returns the incidents of all servers in the month of `day`, as one frame (data of one server) for each server. A
 * frame contains each event only once, even if the event was stored twice.
 */
function packedEvents(incidents: BlobContent, day: number): Frame[] {
  const month = incidentMonth(day);
  return Array.from(incidents.frames, ([hash, bodies]) => [
    hash,
    encodeEvents(eventsIn(month, bodies).reverse(), month.from),
  ]);
}
