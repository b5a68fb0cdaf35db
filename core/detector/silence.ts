import type { Uplink } from './uplink.ts';

/** Evidence that a server is gone. It accumulates over consecutive unanswered probes of the server. */
export class Evidence {
  /** Time when the first of the unanswered probes was sent, ms; infinity if there is no unanswered probe. */
  since = Number.POSITIVE_INFINITY;
  lost = 0;
  /** Sum of the evidence that the server is gone, in nats (units of the natural logarithm). */
  nats = 0;
  /**
   * Number of unanswered probes that were sent shortly before the end of the minimum time without replies, or later.
   * The verdict offline requires several of them.
   */
  late = 0;

  /**
   * Adds the evidence of one unanswered probe that the server is gone.
   *
   * - `from`: time when the probe was sent, ms.
   * - `lateAfterMs`: a probe is late from this time after the first unanswered probe on, ms.
   * - `natsOf(n)`: evidence of the n-th unanswered probe in a row, in nats (units of the natural logarithm).
   */
  addProbe(from: number, lateAfterMs: number, natsOf: (nth: number) => number): void {
    this.since = Math.min(this.since, from);
    if (from - this.since >= lateAfterMs) this.late++;
    // A probe with several packets counts once, because packets that are sent together are often lost together.
    this.nats += natsOf(++this.lost);
  }

  clear(): void {
    this.since = Number.POSITIVE_INFINITY;
    this.lost = 0;
    this.nats = 0;
    this.late = 0;
  }
}

/** A run: the series of consecutive probes of one server without a valid reply. */
export interface Run {
  /** `serverKey` of the server that does not answer. */
  readonly key: string;
  readonly host: SilentHost;
  /** Time when the first probe of the run (series of unanswered probes) was sent, ms. */
  readonly since: number;
  /**
   * Start of the limited time for which a silent server keeps its status, ms. Usually the last valid reply; after a
   * long time without probes, the first unanswered probe.
   */
  readonly heldSince: number;
  /** True if the server, which does not answer now, answered any earlier probe. */
  readonly isKnown: boolean;
  /** Network connections (uplinks) of the probers that sent the unanswered probes to the server. */
  readonly uplinks: Uplink[];
  /** Number of consecutive probes of the server without a valid reply so far. */
  looks: number;
  /**
   * Number of probes that the server answered only with a challenge, without its status, since its last valid reply.
   */
  challenged: number;
  /** Evidence from probes that got no reply at all. It suggests that no server runs at the address. */
  readonly silence: Evidence;
  /**
   * Evidence from probes that got only a challenge. It suggests that a firewall sends the challenges and no server runs
   * behind the firewall.
   */
  readonly behindChallenge: Evidence;
  /**
   * The last unanswered probe, while it is no evidence yet. It counts if a server in a different network answers
   * between `from` and `to` (ms), because then the uplink (the prober's network connection) worked.
   */
  unwitnessed: { uplink: Uplink; from: number; to: number } | undefined;
  /** True if the failure detector has given the silent server the verdict offline. */
  convicted: boolean;
}

/** State of a host on which at least one server does not answer. */
export class SilentHost {
  readonly key: number;
  /** For each silent server of the host, its series of unanswered probes (run). Keyed by `serverKey`. */
  readonly runs = new Map<string, Run>();
  /**
   * Time of the last answer of any server of the host, ms. Answers are recorded only while at least one server of the
   * host is silent. Minus infinity if no answer was recorded.
   */
  heardAt = Number.NEGATIVE_INFINITY;
  /**
   * Start of the current silence of the host, ms: when the first unanswered packet after the last answer of the host
   * was sent. Infinity if no packet is unanswered since this answer.
   */
  silentSince = Number.POSITIVE_INFINITY;

  constructor(key: number) {
    this.key = key;
  }

  /**
   * Adds up the evidence that other silent servers of the host are gone, in nats (units of the natural logarithm).
   * Skips servers that never answered, and runs that began before `lastOnlineAt` (ms). `since`: time of the earliest
   * unanswered probe, ms.
   */
  othersSince(run: Run, lastOnlineAt: number): { servers: number; since: number; nats: number } {
    const others = { servers: 0, since: Number.POSITIVE_INFINITY, nats: 0 };
    for (const other of this.runs.values()) {
      const { since, nats } = other.silence;
      if (other === run || !other.isKnown || since === Number.POSITIVE_INFINITY) continue;
      if (other.since < lastOnlineAt) continue;
      others.servers++;
      others.since = Math.min(others.since, since);
      others.nats += nats;
    }
    return others;
  }

  /** Records that a server of the host answered. */
  heard(now: number): void {
    this.heardAt = now;
    this.silentSince = Number.POSITIVE_INFINITY;
  }

  /**
   * Records that the host did not answer a packet that was sent at `sentAt` (ms). Ignores a packet that was sent before
   * the last answer of the host.
   */
  missed(sentAt: number): void {
    if (sentAt >= this.heardAt) this.silentSince = Math.min(this.silentSince, sentAt);
  }
}

/**
 * All servers that do not answer at the moment. For each of them, stores its run (series of unanswered probes), by the
 * key of the server. Also groups the runs by host.
 */
export class Silence {
  readonly #runs = new Map<string, Run>();
  readonly #hosts = new Map<number, SilentHost>();

  get servers(): number {
    return this.#runs.size;
  }

  run(key: string): Run | undefined {
    return this.#runs.get(key);
  }

  host(host: number): SilentHost | undefined {
    // Usually all servers answer, so there are no silent hosts. In this case, no look-up in the map is needed.
    return this.#hosts.size === 0 ? undefined : this.#hosts.get(host);
  }

  /** Begins a run (series of unanswered probes) of a server. */
  begin(
    key: string,
    hostKey: number,
    { since, heldSince, isKnown }: Pick<Run, 'since' | 'heldSince' | 'isKnown'>,
  ): Run {
    let host = this.#hosts.get(hostKey);
    if (!host) {
      host = new SilentHost(hostKey);
      this.#hosts.set(hostKey, host);
    }
    const run: Run = {
      key,
      host,
      since,
      heldSince,
      isKnown,
      uplinks: [],
      looks: 0,
      challenged: 0,
      silence: new Evidence(),
      behindChallenge: new Evidence(),
      unwitnessed: undefined,
      convicted: false,
    };
    this.#runs.set(key, run);
    host.runs.set(key, run);
    return run;
  }

  /**
   * Ends a run (series of unanswered probes) of a server. Also removes the host of the server if the host has no other
   * run.
   */
  end(run: Run): void {
    this.#runs.delete(run.key);
    run.host.runs.delete(run.key);
    if (run.host.runs.size === 0) this.#hosts.delete(run.host.key);
  }
}
