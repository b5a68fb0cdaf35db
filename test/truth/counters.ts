/** Counters of the servers of one cell. */
export interface CellCounters {
  servers: number;
  probes: number;
  packets: number;
  /** Running servers wrongly reported offline: they were up during their whole silence. */
  falseOffline: number;
  /** Number of times a server got the label `rate_limited`. */
  rateLimited: number;
  /**
   * Times from a server's end to its status `offline`, in probe intervals; infinite if the core never
   * reported it.
   */
  verdicts: number[];
  /**
   * Times from a server's restart to its new data in the core, in probe intervals; infinite if the core never
   * reported it.
   */
  returns: number[];
  /** Most packets sent to one address within any second. */
  mostToAddress: number;
  mostToNetwork: number;
  /** Observed virtual time, in seconds, summed over all hosts. */
  hostSeconds: number;
}

export function emptyCounters(): CellCounters {
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

/** Adds the counters of two cells. */
export function addCounters(a: CellCounters, b: CellCounters): CellCounters {
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

/**
 * Returns the smallest value that at least this share of values does not exceed (nearest rank); undefined if
 * there are no values.
 */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
