import type { Uplink } from './uplink.ts';

/** Lost looks in a row, and what they say against one explanation of a server that is alive. */
export class Evidence {
  /** When the first of them was sent, ms; infinity before there is one. */
  since = Number.POSITIVE_INFINITY;
  lost = 0;
  /** In nats. */
  nats = 0;
  /** Those that were sent when the silence was nearly long enough for a verdict. */
  late = 0;

  /**
   * Adds a look that was sent at a time; it is late if that is so long, ms, after the first. Packets that are sent together
   * are lost together, so a look counts once however many it sent.
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

/** What is kept of a server while it gives no valid reply. */
export interface Run {
  /** Its `serverKey`. */
  readonly key: string;
  readonly host: SilentHost;
  /** When the first probe was sent that got none, ms. */
  readonly since: number;
  /** Since when its status is held without a valid reply, and was asked for, ms. */
  readonly heldSince: number;
  /** It has answered at some time. */
  readonly isKnown: boolean;
  /** The uplinks that counted looks came by. */
  readonly uplinks: Uplink[];
  /** Probes in a row that got none. */
  looks: number;
  /** In how many of them the server demanded a challenge, and said no more. */
  challenged: number;
  /** Looks that nothing answered: evidence that nothing is there. */
  readonly silence: Evidence;
  /** Looks that nothing answered though a challenge had come: evidence that only a box in front of the server is there. */
  readonly behindChallenge: Evidence;
  /** A lost look for which no other network has spoken yet, by which uplink it went, and when it was under way. */
  unwitnessed: { uplink: Uplink; from: number; to: number } | undefined;
  /** It was found to be offline. */
  convicted: boolean;
}

/** A host some of whose servers are silent. */
export class SilentHost {
  readonly key: number;
  /** By `serverKey`. */
  readonly runs = new Map<string, Run>();
  /** When something of the host last answered while servers of it were silent, ms; minus infinity before. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** When the first packet was sent that nothing of the host has answered since, ms; infinity if something has. */
  silentSince = Number.POSITIVE_INFINITY;

  constructor(key: number) {
    this.key = key;
  }

  /**
   * What servers besides one say together: those that fell silent since it last answered, ms. One that was silent before, or
   * never answered, proves nothing.
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

  /** Something of the host answered. */
  heard(now: number): void {
    this.heardAt = now;
    this.silentSince = Number.POSITIVE_INFINITY;
  }

  /** Nothing answered a packet that was sent at a time, which may be before something last did. */
  missed(sentAt: number): void {
    if (sentAt >= this.heardAt) this.silentSince = Math.min(this.silentSince, sentAt);
  }
}

/** The servers that are silent now, by key and by host. Never more than are tracked. */
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
    // Mostly all answer.
    return this.#hosts.size === 0 ? undefined : this.#hosts.get(host);
  }

  /** Begins the silence of a server. Times as in `Run`. */
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

  end(run: Run): void {
    this.#runs.delete(run.key);
    run.host.runs.delete(run.key);
    if (run.host.runs.size === 0) this.#hosts.delete(run.host.key);
  }
}
