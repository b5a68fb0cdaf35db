/** What is known about reaching a server; CONTRACT, `_updater`. */
export const statuses = ['pending', 'online', 'offline'] as const;
export type Status = (typeof statuses)[number];

/** How a server's network treats probes; CONTRACT, `_updater.firewall_label`. */
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

/** Reasons for which the server itself could not be asked: they say nothing about it. */
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

/** Tells whether a reason says that the server could not be asked, rather than that it was asked in vain. */
export function isUnknowable(reason: Reason): boolean {
  return unknowable.has(reason);
}

/** What earlier probes showed, as far as labels, intervals and the failure detector need it. */
export interface ProbeHistory {
  /** Answered probes since the core started, 15 at most. */
  readonly answers: number;
  /** The share of their packets that was lost, from 0 to 1. */
  readonly lossShare: number;
  /** Evidence that the server drops more packets than our line explains, in nats, 25.5 at most. */
  readonly limitEvidence: number;
  /** Probes in a row that were answered and lost nothing, 7 at most. */
  readonly clean: number;
  /** How long it has been empty, in ticks from 1 to 7; 0 if it is not. */
  readonly emptyTicks: number;
  /** How long it has said the same although it cannot have meant it, in ticks, 31 at most. */
  readonly sameTicks: number;
}

/** The history of a server about which nothing is known. */
export const noHistory: ProbeHistory = {
  answers: 0,
  lossShare: 0,
  limitEvidence: 0,
  clean: 0,
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
  /** Why it is not online, or why the last probe learnt nothing; of a server that just answered it says nothing. */
  readonly reason: Reason;
  readonly history: ProbeHistory;
  /** The port that last answered; 0 where none did. */
  readonly queryPort: number;
  /** Grows with every change; a report is applied only to the version its lease was given for. */
  readonly version: number;
  /**
   * What the server last said: a canonical gsq.v1.ServerPayload (proto/codec/reported-payload.ts) without `updated`, which is
   * `lastOnlineAt`. Empty if the server has never answered.
   */
  readonly data: Buffer;
}

/** What has to be known of a server to probe it. */
export type ProbedServer = Pick<ServerRecord, 'gameId' | 'address' | 'nextProbeAt' | 'queryPort'> & {
  /** The last probe was not answered. */
  readonly inDoubt: boolean;
  /** When it last answered, if it is held to be online; else 0. */
  readonly onlineAt: number;
};

/** Tells whether the last probe of a server was not answered. */
export function isInDoubt({
  lastProbeAt,
  lastOnlineAt,
}: Pick<ServerRecord, 'lastProbeAt' | 'lastOnlineAt'>): boolean {
  return lastProbeAt > lastOnlineAt;
}

/** The key of a pair. A game id holds no space, so the key is unambiguous. */
export function serverKey(gameId: string, address: string): string {
  return `${gameId} ${address}`;
}
