/** Whether a server can be reached; CONTRACT, `_updater`. */
export const statuses = ['pending', 'online', 'offline'] as const;
export type Status = (typeof statuses)[number];

/** How a server or its firewall treats probes; CONTRACT, `_updater.firewall_label`. */
export const labels = ['none', 'rate_limited', 'challenge_only', 'filtered', 'cached'] as const;
export type Label = (typeof labels)[number];

/** Why a server is not online; CONTRACT, `_updater.reason`, and docs/errors.md. At most 16: the record has four bits. */
export const reasons = [
  'unprobed',
  'no_reply',
  'refused',
  'malformed',
  'unresolvable_host',
  'blocked_address',
  'needs_credentials',
  'needs_option',
  'directory_unavailable',
  'directory_refused',
  'not_listed',
  'paced',
  'prober_unavailable',
] as const;
export type Reason = (typeof reasons)[number];

/** Reasons for which the server itself could not be probed; they say nothing about it. */
const unknowable: ReadonlySet<Reason> = new Set<Reason>([
  'unresolvable_host',
  'blocked_address',
  'needs_credentials',
  'needs_option',
  'directory_unavailable',
  'directory_refused',
  'paced',
  'prober_unavailable',
]);

/** Whether a reason says that the server could not be probed, rather than that it did not answer. */
export function isUnknowable(reason: Reason): boolean {
  return unknowable.has(reason);
}

/** Results of earlier probes that labels, intervals and the failure detector need. */
export interface ProbeHistory {
  /** Answered probes since the core started, 15 at most. */
  readonly answers: number;
  /** Smoothed share of lost packets in answered probes, from 0 to 1. */
  readonly lossShare: number;
  /** Evidence that the server drops more packets than our uplink explains, nats, 25.5 at most. */
  readonly limitEvidence: number;
  /** Answered probes in a row without a lost packet, 7 at most. */
  readonly clean: number;
  /** How long it has been empty, in ticks from 1 to 7; 0 if it is not. */
  readonly emptyTicks: number;
  /** How long it has sent the same reply from a cache, in ticks, 31 at most. */
  readonly sameTicks: number;
}

/** The history of a server that was never probed. */
export const noHistory: ProbeHistory = {
  answers: 0,
  lossShare: 0,
  limitEvidence: 0,
  clean: 0,
  emptyTicks: 0,
  sameTicks: 0,
};

/** A tracked server: the pair, and everything that fetches and the schedule need. Immutable. */
export interface ServerRecord {
  /** `serverKey(gameId, address)`. */
  readonly key: string;
  /** A catalog id, never an alias. */
  readonly gameId: string;
  /** Canonical `host:port`. */
  readonly address: string;
  /** Times are Unix ms; 0 if it has not happened yet. */
  readonly insertedAt: number;
  /** Id of the token whose fetch inserted it; `admin` if the operator did. */
  readonly insertedBy: string;
  readonly status: Status;
  readonly label: Label;
  /** Current time between two probes, ms, backoff and label included. */
  readonly intervalMs: number;
  readonly lastProbeAt: number;
  readonly lastOnlineAt: number;
  readonly nextProbeAt: number;
  /** Why it is not online, or why the last probe failed; has no meaning if the last probe was answered. */
  readonly reason: Reason;
  readonly history: ProbeHistory;
  /** The port that last answered; 0 if none did. */
  readonly queryPort: number;
  /** Grows with every change; a report is applied only to the version its lease was given for. */
  readonly version: number;
  /**
   * What the server last said: a canonical gsq.v1.ServerPayload (proto/codec/reported-payload.ts) without `updated`, which is
   * `lastOnlineAt`. Empty if the server has never answered.
   */
  readonly data: Buffer;
}

/** The fields of a server that its next probe needs. */
export type ProbedServer = Pick<ServerRecord, 'gameId' | 'address' | 'nextProbeAt' | 'queryPort'> & {
  /** The last probe was not answered. */
  readonly inDoubt: boolean;
  /** When it last answered, if its status is online; else 0. */
  readonly onlineAt: number;
};

/** Whether the last probe of a server was not answered. */
export function isInDoubt({
  lastProbeAt,
  lastOnlineAt,
}: Pick<ServerRecord, 'lastProbeAt' | 'lastOnlineAt'>): boolean {
  return lastProbeAt > lastOnlineAt;
}

/** The store key of a pair. A game id contains no space, so the key is unambiguous. */
export function serverKey(gameId: string, address: string): string {
  return `${gameId} ${address}`;
}
