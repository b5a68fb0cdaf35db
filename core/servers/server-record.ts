/** Possible statuses of a server, as the API contract (CONTRACT, `_updater`) defines them. */
export const statuses = ['pending', 'online', 'offline'] as const;
/** Status of a server. */
export type Status = (typeof statuses)[number];

/**
 * Possible firewall labels of a server. A label describes how the server or its firewall treats probes. The API
 * contract (CONTRACT) defines the labels as values of `_updater.firewall_label`.
 */
export const labels = ['none', 'rate_limited', 'challenge_only', 'filtered', 'cached'] as const;
/** Firewall label of a server: how the server or its firewall treats probes. */
export type Label = (typeof labels)[number];

/**
 * Possible reasons why a server is not online (CONTRACT, `_updater.reason`; docs/errors.md). At most 16, because a
 * record has four bits for the reason.
 */
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
/** Reason why a server is not online. */
export type Reason = (typeof reasons)[number];

/** Reasons for which a server could not be probed. Such a reason says nothing about the server itself. */
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

/** True if `reason` means that gsq could not probe the server. Example: the host name is not resolvable. */
export function isUnknowable(reason: Reason): boolean {
  return unknowable.has(reason);
}

/**
 * Results of earlier probes of a server. Used for the firewall label and the probe interval of the server, and by the
 * failure detector.
 */
export interface ProbeHistory {
  /** Number of answered probes of the server since the core started, at most 15. */
  readonly answers: number;
  /** Smoothed share of lost packets in answered probes of the server, from 0 to 1. */
  readonly lossShare: number;
  /**
   * Evidence that the server drops packets on purpose, from 0 (none) to 18. At 18, the server gets the firewall label
   * `rate_limited`.
   */
  readonly limitEvidence: number;
  /** Number of answered probes in a row without a lost packet, at most 7. */
  readonly clean: number;
  /** Time without players, in ticks of 6 minutes: 0 if there are players, otherwise 1 to 7. 7 means 7 ticks or more. */
  readonly emptyTicks: number;
  /**
   * Time for which the server has sent the same reply again and again, in ticks of 10 minutes, at most 12. At 12, the
   * server gets the firewall label `cached`, because its replies seem to come from a cache.
   */
  readonly sameTicks: number;
}

/** Initial probe history (results of earlier probes) of a server: no probe was made yet. */
export const noHistory: ProbeHistory = {
  answers: 0,
  lossShare: 0,
  limitEvidence: 0,
  clean: 0,
  emptyTicks: 0,
  sameTicks: 0,
};

/** A tracked server: its game and address, and all data that fetches and the schedule need. Immutable. */
export interface ServerRecord {
  /** Key of the server: `serverKey(gameId, address)`. */
  readonly key: string;
  /** Id of the game in the catalog, never an alias. */
  readonly gameId: string;
  /** Address in the canonical form `host:port`. */
  readonly address: string;
  /** Time of the insert. All times in the record are Unix ms; 0 means that the event has not happened yet. */
  readonly insertedAt: number;
  /** Id of the token whose fetch inserted the server; `admin` if the operator inserted it. */
  readonly insertedBy: string;
  /** True if the operator listed the server publicly (GSQ_PAGE_SERVERS=listed). */
  readonly isPublic: boolean;
  readonly status: Status;
  readonly label: Label;
  /**
   * Current probe interval of the server, ms. It is longer while the server is offline or has certain firewall labels
   * (`label`).
   */
  readonly intervalMs: number;
  readonly lastProbeAt: number;
  readonly lastOnlineAt: number;
  readonly nextProbeAt: number;
  /**
   * Reason why the server is not online, or why the last probe failed. It has no meaning if the last probe was
   * answered.
   */
  readonly reason: Reason;
  readonly history: ProbeHistory;
  /** Query port at which the server answered last; 0 if no such port is known. */
  readonly queryPort: number;
  /**
   * Version number of the record. Each change of the record increases it. The cores compare it to find the newest
   * record of a server.
   */
  readonly version: number;
  /**
   * Payload of the last reply: a canonical gsq.v1.ServerPayload without the field `updated`, whose value is in
   * `lastOnlineAt`. Empty if the server has never answered.
   */
  readonly data: Buffer;
  /**
   * Encoded samples (probe results) of the current, unfinished hour, for the history (core/history/hour-coding.ts). At
   * most 255 bytes; empty if there are no samples.
   */
  readonly openHour: Uint8Array;
}

/** The fields of a server that its next probe needs. */
export type ProbedServer = Pick<ServerRecord, 'gameId' | 'address' | 'nextProbeAt' | 'queryPort'> & {
  /** True if the last probe was not answered. */
  readonly inDoubt: boolean;
  /** Time of the last answer of an online server, Unix ms. It is 0 if the server is not online. */
  readonly onlineAt: number;
};

/** True if the last probe of a server was not answered. */
export function isInDoubt({
  lastProbeAt,
  lastOnlineAt,
}: Pick<ServerRecord, 'lastProbeAt' | 'lastOnlineAt'>): boolean {
  return lastProbeAt > lastOnlineAt;
}

/**
 * Returns the key of a server: its game id, a space and its address. A game id contains no space, so different servers
 * have different keys.
 */
export function serverKey(gameId: string, address: string): string {
  return `${gameId} ${address}`;
}

/** Returns the game id and the address of a `serverKey`. Both are empty if the key is empty. */
export function splitKey(key: string): [gameId: string, address: string] {
  const space = key.indexOf(' ');
  return [key.slice(0, Math.max(space, 0)), key.slice(space + 1)];
}
