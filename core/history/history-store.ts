import type { Reason } from '../servers/server-record.ts';

/** The samples (results of probes) of one server in one hour, coded by hour-coding.ts. */
export interface SealedHour {
  /**
   * Start of the full hour under which the samples are stored, Unix ms. The samples cover an hour that begins
   * `hourPhase` ms later. `hourPhase` differs between servers, so that not all servers finish an hour at the same time.
   */
  readonly hour: number;
  readonly samples: Buffer;
}

/**
 * Uptime and player figures of one server over a span of time. They are sums, so the figures of adjacent spans can be
 * added. The share of online time and the mean number of players are computed from them.
 */
export interface Figures {
  /** Start of the span of time that the figures cover, Unix ms. */
  readonly from: number;
  /** End of the time span that the uptime and player figures cover, Unix ms. */
  readonly to: number;
  /** The part of the span of time in which gsq knew whether the server was online or offline, ms. */
  readonly knownMs: number;
  /** The part of the span of time in which the server was online, ms. */
  readonly onlineMs: number;
  /** The part of the span of time in which the server was online and its number of players was known, ms. */
  readonly countedMs: number;
  /**
   * Mean number of players, multiplied by `countedMs` (the time in which the number was known). For example, 5 players
   * for 1000 ms give 5000.
   */
  readonly playerMs: number;
  /** Highest number of players in the time span; 0 if the number was never known (`countedMs` is 0). */
  readonly playersMax: number;
}

/** A period in which a server was offline. */
export interface OfflineSpan {
  /** Time when the server was found to be offline, Unix ms. */
  readonly started: number;
  /**
   * Time when the server answered again, Unix ms. Undefined if the server is still offline. If this offline period is
   * over, but its end was not recorded, `ended` equals `started`.
   */
  readonly ended: number | undefined;
  readonly reason: Reason;
}

/**
 * An event of a server: it went offline or came back. `reason`: why the server went offline; undefined if the server
 * came back.
 */
export interface IncidentEvent {
  /** Time at which the server went offline or came back, Unix ms. */
  readonly at: number;
  readonly reason: Reason | undefined;
}

/**
 * The history of all servers, keyed by `serverKey`: the samples of the last day or more, figures of quarter hours and
 * days, and incidents (offline periods). Reads reject with NoHistory while the history cannot be read.
 */
export interface HistoryStore {
  /**
   * Stores the samples of a finished hour. They become durable soon after this call. If the history already has this
   * hour, both versions are joined: if both begin with the same sample, only the version that ends later is kept. If
   * not, all samples of both are kept.
   */
  sealHour(key: string, sealed: SealedHour): void;
  /** Adds an entry to the history: the server went offline at the time `at` (Unix ms). */
  addOffline(key: string, at: number, reason: Reason): void;
  /** Adds an entry to the history: the server answered again at the time `at` (Unix ms), after it was offline. */
  addOnline(key: string, at: number): void;
  /** Returns the stored samples of a server from all hours that overlap with a span of time, the oldest hour first. */
  hours(key: string, from: number, to: number): Promise<SealedHour[]>;
  /**
   * Returns the stored uptime and player figures of a server for the quarter hours that begin in a span of time, the
   * oldest first. Leaves out quarter hours in which the status of the server was always unknown.
   */
  quarters(key: string, from: number, to: number): Promise<Figures[]>;
  /**
   * Returns the stored uptime and player figures of a server for the days (UTC) that begin in a span of time, the
   * oldest first. Leaves out days in which the status of the server was always unknown.
   */
  days(key: string, from: number, to: number): Promise<Figures[]>;
  /**
   * Returns a lower bound for the time of the oldest data, Unix ms; infinity if there is no data. `kind`: `hours` for
   * samples, or `quarters` for the figures of quarter hours.
   */
  oldest(kind: 'hours' | 'quarters'): number;
  /** Returns at most `limit` incidents of a server that started before `before` (Unix ms), the newest first. */
  incidents(key: string, before: number, limit: number): Promise<OfflineSpan[]>;
  /**
   * Returns events (offline, online again) of a server, the newest first. These are the events of the newest `limit`
   * incidents that started before `before` (Unix ms). The first event at or after `before` is returned too, because it
   * can be the end of such an incident.
   */
  incidentEvents(key: string, before: number, limit: number): Promise<IncidentEvent[]>;
  /** Records in the history that these servers were removed. Later reads return only data from after the removal. */
  remove(keys: readonly string[]): void;
}
