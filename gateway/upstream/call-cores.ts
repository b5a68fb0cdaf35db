import type { CoreSet } from './core-set.ts';

/** While a call waits for its reply, the gateway checks at this interval (ms) whether the core still responds. */
const SUSPECT_MS = 1_000;

/** One attempt of a call: the call is sent to one core of the cluster. */
export interface Attempt {
  /** Address of the core that this attempt calls, `host:port`. */
  address: string;
  /**
   * True if an earlier attempt of this call went to another core. That core has perhaps already counted the call
   * against the quota of the caller.
   */
  isRepeated: boolean;
  /**
   * Signal that ends the call early. It is aborted if the called core leaves the cluster, or if this core stops
   * responding while another core responds. The call can then be sent to another core. Undefined if there is only one
   * core.
   */
  lost: AbortSignal | undefined;
}

/**
 * Calls the core that is responsible for `key`. If this core does not respond, calls the next one. The call must be
 * safe to repeat. `isLost` returns true if an error means that the core cannot be reached.
 */
export async function callCores<T>(
  cores: CoreSet,
  key: string,
  attempt: (attempt: Attempt) => Promise<T>,
  isLost: (error: unknown) => boolean,
): Promise<T> {
  let address = cores.pickCore(key);
  if (cores.isSingle) return attempt({ address, isRepeated: false, lost: undefined });
  const tried = new Set<string>();
  for (;;) {
    const lost = new AbortController();
    const unwatch = cores.watchLoss(address, () => lost.abort());
    const core = address;
    const suspicion = setInterval(() => cores.suspectCore(core), SUSPECT_MS);
    try {
      return await attempt({ address, isRepeated: tried.size > 0, lost: lost.signal });
    } catch (error) {
      tried.add(address);
      const next = lost.signal.aborted || isLost(error) ? cores.pickOther(key, tried) : undefined;
      if (next === undefined) throw error;
      address = next;
    } finally {
      clearInterval(suspicion);
      unwatch();
    }
  }
}
