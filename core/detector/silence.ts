import type { Uplink } from './uplink.ts';

/** Evidence that a server is gone. It accumulates over consecutive unanswered probes of the server. */
export class Evidence {
  /** Time when the first of the unanswered probes was sent, ms; infinity if there is no unanswered probe. */
  since = Number.POSITIVE_INFINITY;
  lost = 0;
  /** Sum of the evidence that the server is gone, in nats (units of the natural logarithm). */
  nats = 0;
  /**
   * Number of late unanswered probes. A server counts as offline only if it was silent for a minimum time, and if
   * several late probes got no answer. A probe is late if it was sent near or after the end of the minimum time.
   */
  late = 0;

  /**
   * Adds one unanswered probe as evidence that the server is gone.
   *
   * - `from`: time when the probe was sent, ms.
   * - `lateAfterMs`: the probe counts as late if it was sent at least this long after the first unanswered probe, ms.
   * - `natsOf(n)`: evidence of the n-th unanswered probe in a row, in nats (natural-logarithm units).
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

/** A run: a series of probes of one server, one after the other, that all got no valid reply. */
export interface Run {
  /** `serverKey` of the server that does not answer. */
  readonly key: string;
  readonly host: SilentHost;
  /** Time when the first probe of the run (series of unanswered probes) was sent, ms. */
  readonly since: number;
  /**
   * Start of the limited time for which the silent server keeps its status, ms. Usually the time of its last valid
   * reply. If the server was not probed for a long time after this reply, the time of its first unanswered probe.
   */
  readonly heldSince: number;
  /**
   * Time until which the server was probed as often as planned, ms. Usually this is the time of the newest unanswered
   * probe. Faults of the prober, such as a failed DNS look-up, do not change this time.
   */
  askedUntil: number;
  /** True if the server was online at any time before this run of unanswered probes. */
  readonly isKnown: boolean;
  /** Uplinks over which the unanswered probes were sent. An uplink is the network connection of a prober. */
  readonly uplinks: Uplink[];
  /** Number of probes in this run of unanswered probes so far. */
  looks: number;
  /**
   * Number of probes since the last valid reply to which the server sent only a challenge, and not its status. A
   * challenge is a number that the client must repeat.
   */
  challenged: number;
  /** Evidence from probes that got no reply at all: probably no server runs at the address. */
  readonly silence: Evidence;
  /**
   * Evidence from probes that got only a challenge: probably a firewall sends the challenges, and no server runs behind
   * it.
   */
  readonly behindChallenge: Evidence;
  /**
   * An unanswered probe that is not counted yet, because it is unknown whether the uplink (network connection of the
   * prober) worked. The probe counts as evidence against the server only if a server in another network answers between
   * `from` and `to` (ms).
   */
  unwitnessed: { uplink: Uplink; from: number; to: number } | undefined;
  /** True if the failure detector has given the silent server the verdict offline. */
  convicted: boolean;
}

/** State of a host on which at least one server does not answer. */
export class SilentHost {
  readonly key: number;
  /**
   * The runs of the silent servers of the host, by `serverKey`. A run is a series of unanswered probes of one server.
   */
  readonly runs = new Map<string, Run>();
  /**
   * Time of the last recorded answer of the host, ms. It is minus infinity if no answer was recorded yet. gsq records
   * the answers of a host only while at least one of its servers is silent.
   */
  heardAt = Number.NEGATIVE_INFINITY;
  /**
   * Start of the current silence of the host, ms. At this time, the first packet was sent that stayed unanswered after
   * the last answer of the host. Infinity if the host is not silent.
   */
  silentSince = Number.POSITIVE_INFINITY;

  constructor(key: number) {
    this.key = key;
  }

  /**
   * Sums up the evidence against the silent servers of the host, without the server of `run`. Ignores servers that
   * never answered, and servers whose series of unanswered probes began before `lastOnlineAt` (ms).
   *
   * - `servers`: number of these servers.
   * - `since`: time of their earliest unanswered probe, ms.
   * - `nats`: sum of the evidence that they are gone, in nats (natural-logarithm units).
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
 * All servers that currently do not answer, and their hosts. Contains one run of unanswered probes for each of
 * these servers. A run can be found by the key of its server, or through its host.
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
    // Avoids the look-up if there is no silent host, which is the usual case.
    return this.#hosts.size === 0 ? undefined : this.#hosts.get(host);
  }

  /** Begins a run of unanswered probes of a server. */
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
      askedUntil: since,
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

  /** Ends a run of unanswered probes of a server. If the host has no other run, removes the host too. */
  end(run: Run): void {
    this.#runs.delete(run.key);
    run.host.runs.delete(run.key);
    if (run.host.runs.size === 0) this.#hosts.delete(run.host.key);
  }
}
