/** Counters of the simulation results for one combination of scenario, packet loss and number of servers per host. */
export interface CellCounters {
  servers: number;
  probes: number;
  packets: number;
  /**
   * Number of false offline reports. A report is false if the server ran from the first unanswered packet until the
   * report.
   */
  falseOffline: number;
  /** Number of times a server got the label `rate_limited`. */
  rateLimited: number;
  /**
   * Times from when a simulated server stopped or became unreachable until the core reported it offline, in probe
   * intervals. Infinity if the core never reported it offline.
   */
  verdicts: number[];
  /**
   * Times from the restart of a simulated server until the core had the new data of the server, in probe intervals.
   * Infinity if the core never got the new data.
   */
  returns: number[];
  /** Maximum number of packets sent to one address within any second. */
  mostToAddress: number;
  mostToNetwork: number;
  /**
   * Sum of the simulated time of all hosts, in seconds. The number of packets divided by this sum gives the mean
   * number of packets per second to one host, which the table of results shows.
   */
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

/** Adds the counters of two simulation results, counter by counter. Returns the sums as a new object. */
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
 * Returns a quantile of a list of numbers, by the nearest-rank method. For example, the quantile with `share` 0.5 is
 * the median. Returns undefined if the list is empty.
 */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
