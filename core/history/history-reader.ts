import type { ServerRecord } from '../servers/server-record.ts';
import type { HistoryRange, Retention } from './history-range.ts';
import type { Figures, HistoryStore, OfflineSpan, SealedHour } from './history-store.ts';
import { samplesOf, sealedHour } from './hour-coding.ts';
import { hoursBefore } from './longest-hold.ts';
import { rollUp, sumFigures } from './rollup.ts';
import type { Sample } from './sample.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from './units.ts';
import { type UptimeWindow, windowBegin } from './uptime-window.ts';

/** The fields of a server record that are needed to read the history of the server. */
export type RecordedServer = Pick<ServerRecord, 'key' | 'insertedAt' | 'openHour'>;

/** The fields of a server record that are needed to read the incidents (offline periods) of the server. */
export type JudgedServer = Pick<ServerRecord, 'key' | 'insertedAt' | 'status' | 'lastProbeAt'>;

/**
 * Uptime and player figures of a server for a span of time. Undefined if the status of the server was unknown in the
 * whole span.
 */
type Span = Figures | undefined;

/**
 * Longest time for which a sample (result of a probe) can count as the status of its server, ms. A sample counts for
 * one and a half probe intervals, and the longest probe interval is one day.
 */
const LONGEST_HOLD_MS = 1.5 * DAY_MS;

/**
 * Data from which the reader computes missing uptime and player figures: the figures of quarter hours if figures of
 * days are requested, the samples if figures of quarter hours are requested.
 */
interface FinerData {
  /**
   * Finer data has shorter time spans than the requested figures. From this time on (Unix ms), the finer data is
   * complete, and the reader prefers figures that it computes from the finer data. Computed figures are more exact than
   * stored figures, which can count a sample for too long.
   */
  readonly wholeSince: number;
  /**
   * Finer data has shorter time spans than the requested figures. It begins at this time (Unix ms). If figures after
   * this time are missing, the reader computes them from the finer data. Infinity if there is no finer data.
   */
  readonly oldest: number;
  readonly read: (range: HistoryRange) => Promise<Span[]>;
}

/** The methods of the history store that `HistoryReader` calls to read the history. */
export type StoredHistory = Pick<HistoryStore, 'hours' | 'quarters' | 'days' | 'incidents' | 'oldest'>;

/** Dependencies of `HistoryReader`. */
export interface HistoryReaderDependencies {
  store: StoredHistory;
  retention: Retention;
  /** Longest time for which one sample can count as the status of its server, ms. */
  longestHoldMs: number;
  now: () => number;
}

/**
 * Computes answers about the history of a server since its insert. Reads the history store, and the samples of the
 * current hour in the server record. All methods reject with NoHistory while the history cannot be read.
 */
export class HistoryReader {
  readonly #dependencies: HistoryReaderDependencies;

  constructor(dependencies: HistoryReaderDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * How long the history keeps its data, in ms: the samples (results of single probes), and the uptime and player
   * figures of each quarter hour.
   */
  get retention(): Retention {
    return this.#dependencies.retention;
  }

  /**
   * Divides a range of time into steps, and returns the uptime and player figures of a server for each step, the oldest
   * first. The figures are undefined if the status of the server was unknown in the whole step.
   */
  async steps(server: RecordedServer, { from, to, stepMs }: HistoryRange): Promise<Span[]> {
    // Skips times before the insert of the server and times in the future, because gsq has no data for them. A request
    // can ask for thousands of years without data.
    const grain = grainOf(stepMs);
    const begin = Math.max(from, floorTo(server.insertedAt, grain));
    const end = Math.min(to, ceilTo(this.#dependencies.now(), grain));
    const steps: Span[] = Array.from({ length: (to - from) / stepMs });
    if (begin >= end) return steps;
    const spans = await this.#spans(server, begin, end, grain);
    for (let at = from + floorTo(begin - from, stepMs); at < end; at += stepMs) {
      const [first, next] = [at, at + stepMs].map(time => Math.max(time - begin, 0) / grain);
      steps[(at - from) / stepMs] = sumFigures(spans.slice(first, next), at, at + stepMs);
    }
    return steps;
  }

  /**
   * Returns the uptime and player figures of a server for a window that ends now, such as the last 24 hours. All sums
   * are 0 if the status was unknown in the whole window.
   */
  async window(server: RecordedServer, { ms }: UptimeWindow): Promise<Figures> {
    const now = this.#dependencies.now();
    const { begin, grain } = windowBegin(ms, this.retention, now);
    const from = Math.max(begin, floorTo(server.insertedAt, grain));
    const spans = from < now ? await this.#spans(server, from, ceilTo(now, grain), grain) : [];
    const nothing = { knownMs: 0, onlineMs: 0, countedMs: 0, playerMs: 0, playersMax: 0 };
    return { ...nothing, ...sumFigures(spans, begin, now), from: begin, to: now };
  }

  /**
   * Returns at most `limit` incidents (periods in which the server was offline) that started before `before` (Unix ms),
   * the newest first. If the history does not know when an incident ended, `ended` equals `started`.
   */
  async incidents(server: JudgedServer, before: number, limit: number): Promise<OfflineSpan[]> {
    const incidents = await this.#dependencies.store.incidents(server.key, before, limit);
    return incidents
      .filter(({ started }) => started >= server.insertedAt)
      .map(incident =>
        isEndMissing(incident, server) ? { ...incident, ended: incident.started } : incident,
      );
  }

  /**
   * Returns the uptime and player figures of a server for adjacent spans of time from `from` to `to`. `grain`: length
   * of a span in ms, a result of `grainOf`.
   */
  async #spans(server: RecordedServer, from: number, to: number, grain: number): Promise<Span[]> {
    const { store } = this.#dependencies;
    const { samplesMs, quartersMs } = this.retention;
    const now = this.#dependencies.now();
    const range = { from, to, stepMs: grain };
    const oldestSample = Math.min(
      store.oldest('hours'),
      openHourOf(server)?.hour ?? Number.POSITIVE_INFINITY,
    );
    if (grain === DAY_MS)
      return this.#completed(server, await store.days(server.key, from, to), range, {
        wholeSince: now - quartersMs,
        oldest: Math.min(store.oldest('quarters'), oldestSample),
        read: finer => this.#sumQuarters(server, finer),
      });
    if (grain === QUARTER_MS)
      return this.#completed(server, await store.quarters(server.key, from, to), range, {
        wholeSince: now - samplesMs + hoursBefore(this.#dependencies.longestHoldMs) * HOUR_MS,
        oldest: oldestSample,
        read: finer => this.#rollUp(server, finer),
      });
    return this.#rollUp(server, range);
  }

  /**
   * Returns the uptime and player figures of a server for all time spans of a range. `rows`: the stored figures.
   * Computes missing figures from data with shorter time spans, for example the figures of a day from its quarter
   * hours.
   */
  async #completed(
    server: RecordedServer,
    rows: readonly Figures[],
    { from, to, stepMs }: HistoryRange,
    { wholeSince, oldest, read }: FinerData,
  ): Promise<Span[]> {
    const spans: Span[] = Array.from({ length: (to - from) / stepMs });
    for (const row of rows) if (row.to > server.insertedAt) spans[(row.from - from) / stepMs] = row;
    const last = rows.at(-1);
    // All figures of a day are stored in one write. So the stored figures are complete up to the end of the last day
    // that has stored figures.
    const rolledUp = last ? floorTo(last.from, DAY_MS) + DAY_MS : from;
    const open = openHourOf(server);
    // Stored figures of the current day can be incomplete, so all figures of the current day are computed again.
    const unstored = Math.min(rolledUp, open ? floorTo(open.hour, DAY_MS) : rolledUp);
    const finerFrom = Math.max(from, unstored, floorTo(oldest, DAY_MS));
    if (finerFrom >= to) return spans;
    const kept = (finerFrom - from) / stepMs;
    const finer = await read({ from: finerFrom, to, stepMs });
    const isWhole = (i: number): boolean => i >= kept && from + i * stepMs >= wholeSince;
    return spans.map((span, i) => (isWhole(i) ? finer[i - kept] : betterKnown(span, finer[i - kept])));
  }

  async #sumQuarters(server: RecordedServer, { from, to, stepMs }: HistoryRange): Promise<Span[]> {
    const quarters = await this.#spans(server, from, to, QUARTER_MS);
    const perStep = stepMs / QUARTER_MS;
    return Array.from({ length: (to - from) / stepMs }, (_, i) => {
      const begin = from + i * stepMs;
      return sumFigures(quarters.slice(i * perStep, (i + 1) * perStep), begin, begin + stepMs);
    });
  }

  async #rollUp(server: RecordedServer, { from, to, stepMs }: HistoryRange): Promise<Span[]> {
    const samples = await this.#samples(server, from - LONGEST_HOLD_MS, to);
    return rollUp(samples, from, stepMs, (to - from) / stepMs);
  }

  /**
   * Returns the samples of a server since `from`, the oldest first. `holdMs` of a sample says how long it counts as the
   * status of the server. The newest sample must not count beyond the present time, so its `holdMs` is shortened if
   * necessary.
   */
  async #samples(server: RecordedServer, from: number, to: number): Promise<Sample[]> {
    const now = this.#dependencies.now();
    // The stored time of a sample is not exact. It is the real time, rounded down to the second, or a predicted time:
    // one probe interval after the previous sample. A predicted time can be some seconds in the future.
    const earliest = floorTo(server.insertedAt, 1_000);
    const isShown = ({ at }: Sample): boolean => at >= earliest && at < now;
    const hours = await this.#dependencies.store.hours(server.key, from, to);
    const samples = withOpenHour(hours, server, isShown);
    const last = samples.pop();
    if (!last) return [];
    const holdMs = Math.min(last.holdMs, now - last.at);
    return [...samples, { ...last, holdMs }];
  }
}

/**
 * The figures of a step are sums over time spans of equal length. Returns this length, ms. It is a day if `stepMs` is a
 * multiple of a day. Otherwise it is 15 minutes if `stepMs` is a multiple of 15 minutes. All other steps are computed
 * from single samples; for them, returns `stepMs` itself.
 */
function grainOf(stepMs: number): number {
  if (stepMs % DAY_MS === 0) return DAY_MS;
  return stepMs % QUARTER_MS === 0 ? QUARTER_MS : stepMs;
}

/**
 * True if the history lacks the end of an incident (a period in which the server was offline) that is over. A newer
 * probe in the server record then shows that the server is no longer offline.
 */
function isEndMissing({ started, ended }: OfflineSpan, { status, lastProbeAt }: JudgedServer): boolean {
  return ended === undefined && status !== 'offline' && started <= lastProbeAt;
}

/**
 * Returns either the stored or the computed figures of a time span: those that cover more time with a known status. If
 * both cover the same time, returns the computed figures.
 */
function betterKnown(stored: Span, finer: Span): Span {
  return finer && finer.knownMs >= (stored?.knownMs ?? 0) ? finer : stored;
}

function floorTo(at: number, unit: number): number {
  return Math.floor(at / unit) * unit;
}

function ceilTo(at: number, unit: number): number {
  return Math.ceil(at / unit) * unit;
}

function openHourOf({ openHour }: RecordedServer): SealedHour | undefined {
  return openHour.length === 0 ? undefined : sealedHour(openHour);
}

/**
 * Returns the samples of a server that `isShown` accepts: those in the history, and those of the current hour in the
 * server record. After a crash, the history can also contain samples of the current hour. If so, only one of the two
 * sources is used for this hour: the one with the newest sample. If the clock was ahead for a time, the history also
 * contains samples of the future. These samples must not hide the samples of the current hour.
 */
function withOpenHour(
  hours: readonly SealedHour[],
  server: RecordedServer,
  isShown: (sample: Sample) => boolean,
): Sample[] {
  const shownOf = (some: readonly SealedHour[]): Sample[] => some.flatMap(samplesOf).filter(isShown);
  const open = openHourOf(server);
  if (!open) return shownOf(hours);
  const stored = shownOf(hours.filter(({ hour }) => hour === open.hour));
  const opened = shownOf([open]);
  const isStoredNewer = (stored.at(-1)?.at ?? 0) > (opened.at(-1)?.at ?? 0);
  return [
    ...shownOf(hours.filter(({ hour }) => hour < open.hour)),
    ...(isStoredNewer ? stored : opened),
    ...shownOf(hours.filter(({ hour }) => hour > open.hour)),
  ];
}
