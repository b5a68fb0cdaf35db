/** What is known about reaching a server; CONTRACT, `_updater`. */
export const statuses = ['pending', 'online', 'offline'] as const;
export type Status = (typeof statuses)[number];

/** How a server's network treats probes; CONTRACT, `_updater.firewall_label`. */
export const labels = ['none', 'rate_limited', 'challenge_only', 'filtered', 'cached'] as const;
export type Label = (typeof labels)[number];

/**
 * What a failed probe says about where the server is. `gone`: nothing speaks for it. `challenged`: it demanded a
 * challenge and said no more. `dropped`: others at its IP address answer and others are silent with it. `witnessed`: it
 * was online, and all others at its IP address answer.
 */
export const readings = ['gone', 'challenged', 'dropped', 'witnessed'] as const;
export type Reading = (typeof readings)[number];

/** What the last probes showed, as far as labels and intervals need it: 25 bits of the stored record. */
export interface ProbeHistory {
  /** Signs of lost packets, the newest in the lowest of 8 bits. */
  readonly losses: number;
  /** Probes in a row that were answered and lost nothing, 7 at most. */
  readonly clean: number;
  /** How the last failed probe read. */
  readonly reading: Reading;
  /** The weight of the failed probes in a row that read so, 7 at most. */
  readonly streak: number;
  /** How long it has been empty, in ticks from 1 to 7; 0 where it is not. */
  readonly emptyTicks: number;
  /** How long it has said the same where it could not have, in ticks, 31 at most. */
  readonly sameTicks: number;
}

/** Of a server about which nothing is known. */
export const noHistory: ProbeHistory = {
  losses: 0,
  clean: 0,
  reading: 'gone',
  streak: 0,
  emptyTicks: 0,
  sameTicks: 0,
};

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
  /** Time between two probes now, backoff and label included. */
  readonly intervalMs: number;
  readonly lastProbeAt: number;
  readonly lastOnlineAt: number;
  readonly nextProbeAt: number;
  /** Failed probes in a row, 7 at most. */
  readonly failures: number;
  readonly history: ProbeHistory;
  /** The port that last answered; 0 where none did. */
  readonly queryPort: number;
  /** Grows with every change; a report is applied only to the version its lease was given for. */
  readonly version: number;
  /** What the server last said, as `renderData` wrote it; empty where it has never answered. */
  readonly data: Buffer;
}

/** What has to be known of a server to probe it. */
export type ProbedServer = Pick<
  ServerRecord,
  'gameId' | 'address' | 'nextProbeAt' | 'failures' | 'queryPort'
>;

/** The key of a pair. A game id holds no space, so the key is unambiguous. */
export function serverKey(gameId: string, address: string): string {
  return `${gameId} ${address}`;
}
