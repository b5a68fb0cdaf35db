import type { Reason } from '../servers/server-record.ts';

/** The samples of one server in one hour, coded by hour-coding.ts. */
export interface SealedHour {
  /**
   * Calendar hour in which the hour of these samples begins, Unix ms: a multiple of 3,600,000. The hours of a server
   * begin later than the calendar hours, by `hourPhase`.
   */
  readonly hour: number;
  readonly samples: Buffer;
}

/**
 * Sums about one server over a span of time, from which the share of online time and the mean number of players are
 * computed. The sums of adjacent spans can be added.
 */
export interface Figures {
  /** Start of the span of time, Unix ms. */
  readonly from: number;
  /** End of the span of time, Unix ms. */
  readonly to: number;
  /** Time for which it is known whether the server was online or offline, ms. */
  readonly knownMs: number;
  /** Time in which the server was online, ms. */
  readonly onlineMs: number;
  /** Time in which the number of players was known, ms. */
  readonly countedMs: number;
  /** Integral of the number of players over the time in which this number was known, in players times ms. */
  readonly playerMs: number;
  /** Highest number of players; 0 if `countedMs` is 0. */
  readonly playersMax: number;
}

/** A period in which a server was offline. */
export interface OfflineSpan {
  /** Time when the server was found to be offline, Unix ms. */
  readonly started: number;
  /**
   * Time when the server answered again, Unix ms. Undefined if the server is still offline. Equals `started` if this
   * time is not known.
   */
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
   * Stores the samples of an hour that is over. Returns immediately; the samples are durable soon afterwards. If
   * samples of the same hour are stored already, keeps the version whose last sample is newer. If the two versions
   * begin with different samples, keeps the samples of both.
   */
  sealHour(key: string, sealed: SealedHour): void;
  /** Stores that a server went offline. */
  addOffline(key: string, at: number, reason: Reason): void;
  /** Stores that a server answered again after it was offline. */
  addOnline(key: string, at: number): void;
  /** Returns the stored samples of all hours that overlap with a span of time, the oldest hour first. */
  hours(key: string, from: number, to: number): Promise<SealedHour[]>;
  /**
   * Returns the stored figures of the quarter hours that begin in a span of time, the oldest first. Leaves out quarter
   * hours without known time.
   */
  quarters(key: string, from: number, to: number): Promise<Figures[]>;
  /**
   * Returns the stored figures of the days (UTC) that begin in a span of time, the oldest first. Leaves out days
   * without known time.
   */
  days(key: string, from: number, to: number): Promise<Figures[]>;
  /**
   * Returns a time (Unix ms) before which nothing of the given kind is stored: no samples of hours, or no figures of
   * quarter hours. Returns infinity if nothing of this kind is stored at all.
   */
  oldest(kind: 'hours' | 'quarters'): number;
  /** Returns at most `limit` incidents that started before `before`, the newest first. */
  incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]>;
  /** Stores that servers were removed. Reads then no longer return their history. */
  remove(keys: readonly string[]): void;
}
