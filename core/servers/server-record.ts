/** What is known about reaching a server; CONTRACT, `_updater`. */
export const statuses = ['pending', 'online', 'offline'] as const;
export type Status = (typeof statuses)[number];

/** How a server's network treats probes; CONTRACT, `_updater.firewall_label`. */
export const labels = ['none', 'rate_limited', 'challenge_only', 'filtered', 'cached'] as const;
export type Label = (typeof labels)[number];

/** A server as it is tracked: the pair, and all that fetches and the schedule need. Replaced, never changed. */
export interface ServerRecord {
  /** `serverKey(gameId, address)`. */
  readonly key: string;
  /** A catalog id, never an alias. */
  readonly gameId: string;
  /** Canonical `host:port`. */
  readonly address: string;
  /** Times are milliseconds since the Unix epoch; 0 where it has not happened yet. */
  readonly insertedAt: number;
  /** Id of the token whose fetch inserted it; `admin` where an operator did. */
  readonly insertedBy: string;
  readonly status: Status;
  readonly label: Label;
  /** Time between two probes now, backoff included. */
  readonly intervalMs: number;
  readonly lastProbeAt: number;
  readonly lastOnlineAt: number;
  readonly nextProbeAt: number;
  /** Failed probes in a row. */
  readonly failures: number;
  /** The port that last answered; 0 where none did. */
  readonly queryPort: number;
  /** Grows with every change; a report is applied only to the version its lease was given for. */
  readonly version: number;
  /** What the server last said, as `renderData` wrote it; empty where it has never answered. */
  readonly data: Buffer;
}

/** The key of a pair. A game id holds no space, so the key is unambiguous. */
export function serverKey(gameId: string, address: string): string {
  return `${gameId} ${address}`;
}
