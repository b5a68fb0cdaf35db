import type { Uplink } from './uplink.ts';

/** Lost looks in a row, and the evidence they add up to. */
export class Evidence {
  /** When the first lost look was sent, ms; infinity if there is none. */
  since = Number.POSITIVE_INFINITY;
  lost = 0;
  /** The evidence, nats. */
  nats = 0;
  /** Lost looks that were sent when the silence was nearly long enough for a verdict. */
  late = 0;

  /**
   * Adds a look that was sent at `from`. It is late if that is at least `lateAfterMs` after the first one. A look counts
   * once, however many packets it sent: packets that are sent together are lost together.
   */
  add(from: number, lateAfterMs: number, natsOf: (nth: number) => number): void {
    this.since = Math.min(this.since, from);
    if (from - this.since >= lateAfterMs) this.late++;
    this.nats += natsOf(++this.lost);
  }

  clear(): void {
    this.since = Number.POSITIVE_INFINITY;
    this.lost = 0;
    this.nats = 0;
    this.late = 0;
  }
}

/** The silence of one server: a run of probes without a valid reply. */
export interface Run {
  /** Its `serverKey`. */
  readonly key: string;
  readonly host: SilentHost;
  /** When the first probe without a valid reply was sent, ms. */
  readonly since: number;
  /** Since when its status is kept without a valid reply, ms; a gap in which nobody probed does not count. */
  readonly heldSince: number;
  /** The server has answered at some time. */
  readonly isKnown: boolean;
  /** The uplinks of the looks that were counted. */
  readonly uplinks: Uplink[];
  /** Number of probes in the run. */
  looks: number;
  /** Number of probes in which the server demanded a challenge and said no more. */
  challenged: number;
  /** Unanswered looks: evidence that nothing is there. */
  readonly silence: Evidence;
  /** Looks that only got a challenge: evidence that a firewall answers and no server is behind it. */
  readonly behindChallenge: Evidence;
  /** A lost look during which no other network has answered yet: its uplink and when it was under way, ms. */
  unwitnessed: { uplink: Uplink; from: number; to: number } | undefined;
  /** The verdict is offline. */
  convicted: boolean;
}

/** A host with silent servers. */
export class SilentHost {
  readonly key: number;
  /** By `serverKey`. */
  readonly runs = new Map<string, Run>();
  /** When a server of the host last answered while others were silent, ms; minus infinity if none did. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** When the first packet was sent since which no server of the host answered, ms; infinity if one did. */
  silentSince = Number.POSITIVE_INFINITY;

  constructor(key: number) {
    this.key = key;
  }

  /**
   * Evidence of the other servers of the host that fell silent since `lastOnlineAt`, ms. Servers that were silent before, or
   * never answered, do not count.
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

  /** Notes that a server of the host answered. */
  heard(now: number): void {
    this.heardAt = now;
    this.silentSince = Number.POSITIVE_INFINITY;
  }

  /** Notes a lost packet by the time it was sent, which may lie before the last answer of the host. */
  missed(sentAt: number): void {
    if (sentAt >= this.heardAt) this.silentSince = Math.min(this.silentSince, sentAt);
  }
}

/** The runs of all silent servers, by server key and by host. */
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
    // Most of the time no server is silent.
    return this.#hosts.size === 0 ? undefined : this.#hosts.get(host);
  }

  /** Begins a run. Times as in `Run`. */
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

  /** Ends a run. */
  end(run: Run): void {
    this.#runs.delete(run.key);
    run.host.runs.delete(run.key);
    if (run.host.runs.size === 0) this.#hosts.delete(run.host.key);
  }
}
