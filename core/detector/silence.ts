/** What is kept of a server while it is silent. */
export interface Run {
  /** Its `serverKey`. */
  readonly key: string;
  readonly host: SilentHost;
  /** When the first packet that counts was sent, ms; infinity before there is one. */
  since: number;
  /** Probes in a row that got no valid reply. */
  looks: number;
  /** Lost packets that count. */
  lost: number;
  /** What they say, in nats. */
  evidence: number;
  /** Lost packets for which no other network has spoken yet, and when they were under way. */
  unwitnessed: { lost: number; from: number; to: number } | undefined;
  /** The server demanded a challenge in so many of the looks, and said no more. */
  challenged: number;
  /** It was found to be offline. */
  convicted: boolean;
}

/** A host some of whose servers are silent. */
export class SilentHost {
  readonly key: number;
  /** By `serverKey`. */
  readonly runs = new Map<string, Run>();
  /** When a server of the host last answered while others were silent, ms; minus infinity before. */
  heardAt = Number.NEGATIVE_INFINITY;
  /** When the first lost packet that counts was sent since then, ms; infinity before. */
  since = Number.POSITIVE_INFINITY;
  /** Lost packets since then, and what they say, in nats. */
  lost = 0;
  evidence = 0;

  constructor(key: number) {
    this.key = key;
  }

  /** Servers besides one that are silent too. */
  othersSilent(run: Run): number {
    let others = 0;
    for (const other of this.runs.values()) if (other !== run && other.lost > 0) others++;
    return others;
  }

  /** A server of the host answered: it is not mute. */
  heard(now: number): void {
    this.heardAt = now;
    this.since = Number.POSITIVE_INFINITY;
    this.lost = 0;
    this.evidence = 0;
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

  begin(key: string, hostKey: number): Run {
    let host = this.#hosts.get(hostKey);
    if (!host) {
      host = new SilentHost(hostKey);
      this.#hosts.set(hostKey, host);
    }
    const run: Run = {
      key,
      host,
      since: Number.POSITIVE_INFINITY,
      looks: 0,
      lost: 0,
      evidence: 0,
      unwitnessed: undefined,
      challenged: 0,
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
