import type { Reason } from '../servers/server-record.ts';

/** The coded samples of one server in one of its hours (hour-coding.ts). */
export interface SealedHour {
  /**
   * Calendar hour in which the hour of the server begins, Unix ms: a multiple of 3,600,000. The hour of the server begins
   * `hourPhase` later.
   */
  readonly hour: number;
  readonly samples: Buffer;
}

/** Sums over a span of time, from which shares and means are computed. Sums of adjacent spans can be added. */
export interface Figures {
  /** Begin of the span, Unix ms. */
  readonly from: number;
  /** End of the span, Unix ms. */
  readonly to: number;
  /** Known time: the server was online or offline, ms. */
  readonly knownMs: number;
  /** Time in which the server was online, ms. */
  readonly onlineMs: number;
  /** Time in which the number of players was known, ms. */
  readonly countedMs: number;
  /** Integral of the number of players over the counted time, players times ms. */
  readonly playerMs: number;
  /** Highest number of players; 0 if `countedMs` is 0. */
  readonly playersMax: number;
}

/** A time in which a server was offline. */
export interface OfflineSpan {
  /** Time when the server was found to be offline, Unix ms. */
  readonly started: number;
  /** Time when the server answered again, Unix ms; undefined if it is still offline. */
  readonly ended: number | undefined;
  readonly reason: Reason;
}

/**
 * The history of all servers: samples of the last day or more, figures of quarter hours and of days, and incidents. A
 * server is identified by its `serverKey`.
 *
 * Reads reject with NoHistory while the history cannot be read.
 */
export interface HistoryStore {
  /**
   * Stores the samples of an hour that is over. Returns immediately; the samples are durable soon afterwards. If the
   * hour is stored already, keeps the chunk whose last sample is newer. If the two begin with different samples, keeps
   * the samples of both.
   */
  sealHour(key: string, sealed: SealedHour): void;
  /** Notes that a server went offline. */
  addOffline(key: string, at: number, reason: Reason): void;
  /** Notes that a server answered after it was offline. */
  addOnline(key: string, at: number): void;
  /** Returns the stored hours that overlap with a span of time, the oldest first. */
  hours(key: string, from: number, to: number): Promise<SealedHour[]>;
  /** Returns the stored quarter hours that begin in a span of time, the oldest first. Unknown ones are missing. */
  quarters(key: string, from: number, to: number): Promise<Figures[]>;
  /** Returns the stored days (UTC) that begin in a span of time, the oldest first. Unknown ones are missing. */
  days(key: string, from: number, to: number): Promise<Figures[]>;
  /** Returns at most `limit` incidents that started before `before`, the newest first. */
  incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]>;
  /** Forgets removed servers: their history can no longer be read. */
  remove(keys: readonly string[]): void;
}
