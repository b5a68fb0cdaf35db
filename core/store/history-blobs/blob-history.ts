import { bucketOfServer } from '../../cluster/buckets.ts';
import type {
  Figures,
  HistoryStore,
  IncidentEvent,
  OfflineSpan,
  SealedHour,
} from '../../history/history-store.ts';
import { hourOf } from '../../history/hour-coding.ts';
import { hourPhaseOfKey } from '../../history/hour-phase.ts';
import { joinedHour } from '../../history/hour-versions.ts';
import { incidentsOf } from '../../history/incident-events.ts';
import { NoHistory } from '../../history/no-history.ts';
import type { Reason } from '../../servers/server-record.ts';
import {
  DAY_MS,
  dayBegin,
  HOUR_MS,
  type Period,
  periodOf,
  periodsBetween,
  reachOfSamples,
  type Tier,
} from '../history/periods.ts';
import { decodeDays, decodeQuarters } from '../history/server-days.ts';
import { hashServer } from './blob-format.ts';
import type { BlobReader } from './blob-reader.ts';
import {
  decodeEvents,
  decodeRemoval,
  encodeEvents,
  encodeRemoval,
  encodeSlots,
  visitSlots,
} from './frame-bodies.ts';
import type { FrameWriter } from './frame-writer.ts';
import { type IncidentMonth, incidentMonth, REMOVED, type Retention } from './history-periods.ts';

/** Maximum number of incident events that are read for one server and month. */
const MOST_EVENTS = 50_000;
/**
 * Number of months whose incidents are read together, beginning with the newest. Older months are read only if these
 * months have too few incidents.
 */
const MONTHS_AT_ONCE = 3;

/** Dependencies of `BlobHistory` (reads the history of servers from blobs). */
export interface BlobHistoryDependencies {
  reader: BlobReader;
  writer: Pick<FrameWriter, 'add' | 'pending'>;
  retention: Retention;
  /**
   * Maximum time for which a sample (result of a probe) counts, ms. A sample gives the status of its server until the
   * next sample, but not for longer than this time.
   */
  longestHoldMs: number;
  now: () => number;
}

/**
 * The stored history of one server. A key is the name of a blob (string in Redis or Valkey). Its value is the server's
 * data in this blob, the oldest first.
 */
type Bodies = ReadonlyMap<string, readonly Buffer[]>;

/**
 * A `HistoryStore` with blobs in Redis or Valkey (blob-format.ts). Reads the history of all servers. Includes data that
 * this core has queued, but not data that other cores have queued.
 */
export class BlobHistory implements HistoryStore {
  readonly #dependencies: BlobHistoryDependencies;

  constructor(dependencies: BlobHistoryDependencies) {
    this.#dependencies = dependencies;
  }

  sealHour(key: string, { hour, samples }: SealedHour): void {
    const { path, from } = periodOf('minutes', hour);
    this.#add(path, key, encodeSlots([[(hour - from) / HOUR_MS, Buffer.from(samples)]]));
  }

  addOffline(key: string, at: number, reason: Reason): void {
    this.#addEvent(key, { at, reason });
  }

  addOnline(key: string, at: number): void {
    this.#addEvent(key, { at, reason: undefined });
  }

  remove(keys: readonly string[]): void {
    const removal = encodeRemoval(this.#dependencies.now());
    for (const key of keys) this.#add(REMOVED, key, removal);
  }

  async hours(key: string, from: number, to: number): Promise<SealedHour[]> {
    const phase = hourPhaseOfKey(key);
    const first = hourOf(from, phase);
    const periods = this.#periods('minutes', first, to - phase);
    const bodies = await this.#read(key, [...periods.map(({ path }) => path), REMOVED]);
    const removedAt = removalIn(bodies);
    return periods
      .flatMap(period => hoursIn(period, bodies.get(period.path) ?? []))
      .filter(({ hour }) => hour >= first && hour < to - phase && hour + phase + HOUR_MS > removedAt);
  }

  async quarters(key: string, from: number, to: number): Promise<Figures[]> {
    const periods = this.#periods('quarters', dayBegin(from), to);
    return this.#figures(key, periods, from, to, (period, body) => {
      const found: Figures[] = [];
      visitSlots(body, (slot, content) => {
        found.push(...decodeQuarters(period.from + slot * DAY_MS, content));
      });
      return found;
    });
  }

  async days(key: string, from: number, to: number): Promise<Figures[]> {
    return this.#figures(key, this.#periods('days', from, to), from, to, decodeDays);
  }

  oldest(kind: 'hours' | 'quarters'): number {
    const tier = kind === 'hours' ? 'minutes' : 'quarters';
    return periodOf(tier, this.#oldestEnd(tier)).from;
  }

  async incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]> {
    return incidentsOf(await this.incidentEvents(key, before, limit), before, limit);
  }

  async incidentEvents(key: string, before: number, limit: number): Promise<IncidentEvent[]> {
    const found: IncidentEvent[] = [];
    let next: IncidentEvent | undefined;
    let starts = 0;
    const months = this.#monthsBackwards();
    for (let i = 0; i < months.length; i += MONTHS_AT_ONCE) {
      const some = months.slice(i, i + MONTHS_AT_ONCE);
      const bodies = await this.#read(key, [...some.map(({ name }) => name), REMOVED]);
      const removedAt = removalIn(bodies);
      for (const event of some.flatMap(month => eventsIn(month, bodies.get(month.name) ?? []))) {
        if (event.at < removedAt) continue;
        if (event.at >= before) next = event;
        else {
          found.push(event);
          if (event.reason !== undefined) starts++;
        }
        if (starts >= limit) return next ? [next, ...found] : found;
      }
    }
    return next ? [next, ...found] : found;
  }

  #add(name: string, key: string, body: Buffer): void {
    this.#dependencies.writer.add({ bucket: bucketOfServer(key), name }, key, body);
  }

  #addEvent(key: string, event: IncidentEvent): void {
    const { name, from } = incidentMonth(event.at);
    this.#add(name, key, encodeEvents([event], from));
  }

  /**
   * Returns the uptime and player figures of a server: one result for each day or quarter hour that begins between
   * `from` and `to`. Reads the figures that are stored for `periods`. `decode`: decodes the stored figures of one
   * period.
   */
  async #figures(
    key: string,
    periods: readonly Period[],
    from: number,
    to: number,
    decode: (period: Period, body: Buffer) => Figures[],
  ): Promise<Figures[]> {
    const bodies = await this.#read(key, [...periods.map(({ path }) => path), REMOVED]);
    const removedAt = removalIn(bodies);
    return periods
      .flatMap(period => (bodies.get(period.path) ?? []).flatMap(body => decode(period, body)))
      .filter(span => span.from >= from && span.from < to && span.to > removedAt);
  }

  /**
   * Returns the periods (spans of time with one blob each) that overlap with the time from `from` to `to`, the oldest
   * first. Leaves out periods whose data is already deleted, and periods that begin more than a day after now.
   */
  #periods(tier: Tier, from: number, to: number): Period[] {
    const { now } = this.#dependencies;
    const oldest = this.#oldestEnd(tier);
    // Includes data up to a day newer than `now`, because the clock of the core that recorded the data can be ahead.
    const first = Math.max(from, periodOf(tier, oldest).from);
    const periods = periodsBetween(tier, first, Math.min(to, now() + DAY_MS));
    return periods.filter(period => period.to > oldest);
  }

  /**
   * Returns the time (Unix ms) before which the history is deleted. `tier`: resolution of the history, for example
   * quarter hours.
   */
  #oldestEnd(tier: Tier): number {
    const { now, retention, longestHoldMs } = this.#dependencies;
    return now() - retention[tier] - (tier === 'minutes' ? reachOfSamples(longestHoldMs) : 0);
  }

  /** Returns all months whose incidents can still be stored, the newest first. */
  #monthsBackwards(): IncidentMonth[] {
    return this.#periods('days', 0, Number.POSITIVE_INFINITY)
      .map(({ from }) => incidentMonth(from))
      .reverse();
  }

  /**
   * Reads one server's data from the history blobs with these names. Rejects with NoHistory if the blobs cannot be
   * read.
   */
  async #read(key: string, names: readonly string[]): Promise<Bodies> {
    const { reader, writer } = this.#dependencies;
    const bucket = bucketOfServer(key);
    // Reads the queued data first, and the data in the storage engine afterwards. In this order no data is missed,
    // because data leaves the queue only after the engine has stored it.
    const queued = names.map(name => writer.pending.bodiesOf({ bucket, name }, key));
    const bodies = new Map<string, Buffer[]>();
    await reader
      .visit(bucket, names, (name, { salt }) => {
        const found: Buffer[] = [];
        bodies.set(name, found);
        const own = hashServer(salt, key);
        return (hash, body) => {
          // Copies `body`, because it is a part of a larger buffer with the data of many servers. A reference to `body`
          // would keep the whole buffer in memory.
          if (hash === own && found.length < MOST_EVENTS) found.push(Buffer.from(body));
        };
      })
      .catch(unreadable);
    for (const [i, name] of names.entries()) {
      const more = queued[i] ?? [];
      if (more.length > 0) bodies.set(name, [...(bodies.get(name) ?? []), ...more]);
    }
    return bodies;
  }
}

/**
 * Returns the samples of one server in a period, grouped by hour, the oldest hour first. `bodies`: the server's data in
 * the stored blobs of the period.
 */
function hoursIn(period: Period, bodies: readonly Buffer[]): SealedHour[] {
  const slots = slotsIn(period, bodies);
  return Array.from(slots, ([slot, samples]) => ({ hour: period.from + slot * HOUR_MS, samples })).sort(
    (a, b) => a.hour - b.hour,
  );
}

/**
 * Returns the samples of a server in a period, keyed by the index of the hour in the period. If an hour was stored
 * several times, merges the stored samples.
 */
export function slotsIn({ from }: Pick<Period, 'from'>, bodies: readonly Buffer[]): Map<number, Buffer> {
  const slots = new Map<number, Buffer>();
  for (const body of bodies)
    visitSlots(body, (slot, samples) => {
      const stored = slots.get(slot);
      slots.set(slot, stored ? joinedHour(from + slot * HOUR_MS, stored, samples) : samples);
    });
  return slots;
}

/** Returns the events of a server in a month, the newest first. Two events at the same time count as one. */
export function eventsIn({ from }: Pick<IncidentMonth, 'from'>, bodies: readonly Buffer[]): IncidentEvent[] {
  const events = new Map(
    bodies
      .flatMap(body => decodeEvents(body, from))
      .map((event): [number, IncidentEvent] => [event.at, event]),
  );
  return [...events.values()].sort((a, b) => b.at - a.at);
}

function removalIn(bodies: Bodies): number {
  return Math.max(0, ...(bodies.get(REMOVED) ?? []).map(decodeRemoval));
}

function unreadable(error: unknown): never {
  throw new NoHistory(
    `the history cannot be read now: ${error instanceof Error ? error.message : String(error)}; try again`,
  );
}
