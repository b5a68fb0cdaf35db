/** What was seen of the servers of one cell. */
export interface SetDigest {
  servers: number;
  probes: number;
  packets: number;
  /** Servers that were called offline though they were up all the while they were silent. */
  falseOffline: number;
  /** Times a server was labelled `rate_limited`. */
  rateLimited: number;
  /** From a server's end to `offline`, in intervals; infinite where that was not told. */
  verdicts: number[];
  /** From a server's return to its new data, likewise. */
  returns: number[];
  /** The most packets that went to one address within any second. */
  mostToAddress: number;
  mostToNetwork: number;
  /** Virtual time its hosts were watched for, in seconds, all hosts together. */
  hostSeconds: number;
}

export function emptyTally(): SetDigest {
  return {
    servers: 0,
    probes: 0,
    packets: 0,
    falseOffline: 0,
    rateLimited: 0,
    verdicts: [],
    returns: [],
    mostToAddress: 0,
    mostToNetwork: 0,
    hostSeconds: 0,
  };
}

/** Two tallies as one. */
export function joined(a: SetDigest, b: SetDigest): SetDigest {
  return {
    servers: a.servers + b.servers,
    probes: a.probes + b.probes,
    packets: a.packets + b.packets,
    falseOffline: a.falseOffline + b.falseOffline,
    rateLimited: a.rateLimited + b.rateLimited,
    verdicts: [...a.verdicts, ...b.verdicts],
    returns: [...a.returns, ...b.returns],
    mostToAddress: Math.max(a.mostToAddress, b.mostToAddress),
    mostToNetwork: Math.max(a.mostToNetwork, b.mostToNetwork),
    hostSeconds: a.hostSeconds + b.hostSeconds,
  };
}

/** The value that this share of all does not exceed (nearest rank); undefined of none. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
