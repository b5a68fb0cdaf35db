import type { ServerRecord } from '../servers/server-record.ts';
import type { HistoryRange, Retention } from './history-range.ts';
import type { Figures, HistoryStore, OfflineSpan, SealedHour } from './history-store.ts';
import { decodeHour, sealedHour } from './hour-coding.ts';
import { hoursBefore } from './longest-hold.ts';
import { rollUp, sumFigures } from './rollup.ts';
import type { Sample } from './sample.ts';
import { DAY_MS, HOUR_MS, QUARTER_MS } from './units.ts';
import { type UptimeWindow, windowBegin } from './uptime-window.ts';

/** The fields of a server that its history needs. */
export type RecordedServer = Pick<ServerRecord, 'key' | 'insertedAt' | 'openHour'>;

/** Figures of a span, or undefined if nothing is known of it. */
type Span = Figures | undefined;

/** Longest time for which a sample can hold: one and a half of the longest probe interval, a day. */
const LONGEST_HOLD_MS = 1.5 * DAY_MS;

/** Dependencies of `HistoryReader`. */
export interface HistoryReaderDependencies {
  store: Pick<HistoryStore, 'hours' | 'quarters' | 'days' | 'incidents'>;
  retention: Retention;
  /** Longest time for which a sample can hold that says something, ms. */
  longestHoldMs: number;
  now: () => number;
}

/**
 * Answers questions about the history of a server: from its open hour, and from the stored samples, quarter hours and
 * days. Shows nothing from before the insert of the server. All methods reject with NoHistory while the history cannot be
 * read.
 */
export class HistoryReader {
  readonly #dependencies: HistoryReaderDependencies;

  constructor(dependencies: HistoryReaderDependencies) {
    this.#dependencies = dependencies;
  }

  /** For how long the history keeps samples and quarter hours. */
  get retention(): Retention {
    return this.#dependencies.retention;
  }

  /** Returns the figures of each step of a range, the oldest first. A step of which nothing is known is undefined. */
  async steps(server: RecordedServer, { from, to, stepMs }: HistoryRange): Promise<Span[]> {
    // Before the insert and after now, nothing is known. A range can lie there for thousands of years.
    const begin = Math.max(from, floorTo(server.insertedAt, stepMs));
    const end = Math.min(to, ceilTo(this.#dependencies.now(), stepMs));
    const steps: Span[] = Array.from({ length: (to - from) / stepMs });
    if (begin >= end) return steps;
    const grain = grainOf(stepMs);
    const spans = await this.#spans(server, begin, end, grain);
    const perStep = stepMs / grain;
    for (let at = begin; at < end; at += stepMs) {
      const first = (at - begin) / grain;
      steps[(at - from) / stepMs] = sumFigures(spans.slice(first, first + perStep), at, at + stepMs);
    }
    return steps;
  }

  /**
   * Returns the figures of a window that ends now. If nothing is known of the window, all sums are 0. The begin of the
   * window is rounded down (see `windowBegin`).
   */
  async window(server: RecordedServer, { ms }: UptimeWindow): Promise<Figures> {
    const now = this.#dependencies.now();
    const { begin, grain } = windowBegin(ms, this.retention, now);
    const from = Math.max(begin, floorTo(server.insertedAt, grain));
    const spans = from < now ? await this.#spans(server, from, ceilTo(now, grain), grain) : [];
    const nothing = { knownMs: 0, onlineMs: 0, countedMs: 0, playerMs: 0, playersMax: 0 };
    return { ...nothing, ...sumFigures(spans, begin, now), from: begin, to: now };
  }

  /** Returns at most `limit` incidents that started before `before` (Unix ms), the newest first. */
  async incidents(server: RecordedServer, before: number, limit: number): Promise<OfflineSpan[]> {
    const incidents = await this.#dependencies.store.incidents(server.key, before, limit);
    return incidents.filter(({ started }) => started >= server.insertedAt);
  }

  /** Returns the figures of adjacent spans of `grain`, which must be a result of `grainOf`. */
  async #spans(server: RecordedServer, from: number, to: number, grain: number): Promise<Span[]> {
    const { store } = this.#dependencies;
    const { samplesMs, quartersMs } = this.retention;
    const now = this.#dependencies.now();
    if (grain === DAY_MS) {
      const rows = await store.days(server.key, from, to);
      return this.#completed(server, rows, { from, to, stepMs: DAY_MS }, now - quartersMs, range =>
        this.#sumQuarters(server, range),
      );
    }
    if (grain === QUARTER_MS) {
      const rows = await store.quarters(server.key, from, to);
      return this.#completed(
        server,
        rows,
        { from, to, stepMs: QUARTER_MS },
        now - samplesMs + hoursBefore(this.#dependencies.longestHoldMs) * HOUR_MS,
        range => this.#rollUp(server, range),
      );
    }
    return this.#rollUp(server, { from, to, stepMs: grain });
  }

  /**
   * Returns stored figures, completed from finer data. Days are rolled up one after the other, so all days up to the
   * last stored row are complete, except the day of the open hour. `finerSince`: no finer data of spans from this time on
   * was deleted (Unix ms), so the finer figures are right even if they know less time: a newer sample can end an older one
   * that held for long.
   */
  async #completed(
    server: RecordedServer,
    rows: readonly Figures[],
    { from, to, stepMs }: HistoryRange,
    finerSince: number,
    readFiner: (range: HistoryRange) => Promise<Span[]>,
  ): Promise<Span[]> {
    const spans: Span[] = Array.from({ length: (to - from) / stepMs });
    for (const row of rows) if (row.to > server.insertedAt) spans[(row.from - from) / stepMs] = row;
    const last = rows.at(-1);
    const rolledUp = last ? floorTo(last.from, DAY_MS) + DAY_MS : from;
    const open = openHourOf(server);
    const finerFrom = Math.max(from, Math.min(rolledUp, open ? floorTo(open.hour, DAY_MS) : rolledUp));
    if (finerFrom >= to) return spans;
    const kept = (finerFrom - from) / stepMs;
    const finer = await readFiner({ from: finerFrom, to, stepMs });
    const isWhole = (i: number): boolean => i >= kept && from + i * stepMs >= finerSince;
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

  /** Returns the samples from a time on, the oldest first. The last one holds until now at most. */
  async #samples(server: RecordedServer, from: number, to: number): Promise<Sample[]> {
    const now = this.#dependencies.now();
    // Stored times are rounded: down to the second, or to the predicted time, which can be some seconds from now.
    const earliest = floorTo(server.insertedAt, 1_000);
    const isShown = ({ at }: Sample): boolean => at >= earliest && at < now;
    const hours = await this.#dependencies.store.hours(server.key, from, to);
    const samples = withOpenHour(hours, server).filter(isShown);
    const last = samples.pop();
    if (!last) return [];
    const holdMs = Math.min(last.holdMs, now - last.at);
    return [...samples, { ...last, holdMs }];
  }
}

/** Returns the coarsest stored span of which a step is a multiple: a day, a quarter hour, or the step itself. */
function grainOf(stepMs: number): number {
  if (stepMs % DAY_MS === 0) return DAY_MS;
  return stepMs % QUARTER_MS === 0 ? QUARTER_MS : stepMs;
}

/** Of two versions of the figures of a span, returns the one that knows more time. */
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
 * Returns the samples of the stored hours and of the open hour. After a crash, the history can hold the open hour too:
 * then the version whose last sample is newer counts.
 */
function withOpenHour(hours: readonly SealedHour[], server: RecordedServer): Sample[] {
  const open = openHourOf(server);
  if (!open) return hours.flatMap(decodeHour);
  const before = hours.filter(({ hour }) => hour < open.hour).flatMap(decodeHour);
  const stored = hours.filter(({ hour }) => hour >= open.hour).flatMap(decodeHour);
  const opened = decodeHour(open);
  return [...before, ...((stored.at(-1)?.at ?? 0) > (opened.at(-1)?.at ?? 0) ? stored : opened)];
}
