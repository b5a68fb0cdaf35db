import { placementHash, placementScore } from './rendezvous.ts';

/** What a gateway knows about one core of the cluster. */
export interface CoreState {
  /** Address of the internal port, `host:port`. */
  readonly address: string;
  /** True if the gateway is connected to the core and the core responds. */
  readonly responds: boolean;
}

interface KnownCore extends CoreState {
  hash: number;
}

/**
 * The cores of the cluster. All gateways send the calls of an API token to the same core, while this core responds.
 * Therefore one core can enforce the rate limits of the token.
 */
export class CoreSet {
  #cores: readonly KnownCore[];
  readonly #listeners = new Set<() => void>();
  /** Functions to call when a core leaves or stops responding, keyed by the address of the core. */
  readonly #lossListeners = new Map<string, Set<() => void>>();
  readonly #onSuspect: (address: string) => void;

  /**
   * Creates a set with one core, whose address is `address`. Later, the method `update` replaces this core by the list
   * of all cores. `onSuspect`: called with the address of a core that has not replied for a while. This function should
   * check whether the core still responds.
   */
  constructor(address: string, onSuspect: (address: string) => void = () => {}) {
    this.#cores = knownCores([{ address, responds: false }]);
    this.#onSuspect = onSuspect;
  }

  /** True if there is only one core, so that all calls go to this core. */
  get isSingle(): boolean {
    return this.#cores.length === 1;
  }

  /** Addresses of all cores, `host:port`. */
  get addresses(): readonly string[] {
    return this.#cores.map(({ address }) => address);
  }

  /** All cores, each with its address and whether it responds. */
  get states(): readonly CoreState[] {
    return this.#cores.map(({ address, responds }) => ({ address, responds }));
  }

  /** Replaces the list of all cores. `cores` must not be empty. */
  update(cores: readonly CoreState[]): void {
    this.#cores = knownCores(cores);
    for (const listener of this.#listeners) listener();
    for (const [address, listeners] of this.#lossListeners) {
      if (this.#isLost(address)) for (const listener of [...listeners]) listener();
    }
  }

  /** Calls `listener` after each update of the list of cores. Returns a function that removes the listener. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the address of the core that gets the calls with a key (see `placementKey`). It is the core with the
   * highest score (rendezvous hashing) among the cores that respond, or among all cores if none responds.
   */
  pickCore(key: string): string {
    const [only] = this.#cores;
    const core = this.isSingle ? only : this.#bestCore(key);
    if (!core) throw new Error('a gateway always has at least one core');
    return core.address;
  }

  /**
   * Returns the address of the core with the highest score for a key (rendezvous hashing), among the cores that respond
   * and are not in `tried`. Returns undefined if there is none.
   */
  pickOther(key: string, tried: ReadonlySet<string>): string | undefined {
    const core = this.#bestCore(key, tried);
    return core?.responds ? core.address : undefined;
  }

  /**
   * Calls `onLost` when the core at `address` leaves the cluster, or when it stops responding while another core
   * responds. The caller should then send its calls to another core. Returns a function that removes `onLost`.
   */
  watchLoss(address: string, onLost: () => void): () => void {
    const listeners = this.#lossListeners.get(address) ?? new Set();
    this.#lossListeners.set(address, listeners);
    listeners.add(onLost);
    return () => {
      listeners.delete(onLost);
      if (listeners.size === 0 && this.#lossListeners.get(address) === listeners)
        this.#lossListeners.delete(address);
    };
  }

  /**
   * Starts to check whether a core still responds, unless it is the only core. Call this method if the core has not
   * replied to a call for a while.
   */
  suspectCore(address: string): void {
    if (!this.isSingle) this.#onSuspect(address);
  }

  #bestCore(key: string, tried?: ReadonlySet<string>): KnownCore | undefined {
    const keyHash = placementHash(key);
    let best: KnownCore | undefined;
    let bestScore = -1;
    for (const core of this.#cores) {
      if (tried?.has(core.address)) continue;
      const score = placementScore(keyHash, core.hash);
      const isBetter = core.responds === best?.responds ? score > bestScore : core.responds || !best;
      if (!isBetter) continue;
      best = core;
      bestScore = score;
    }
    return best;
  }

  #isLost(address: string): boolean {
    const core = this.#cores.find(one => one.address === address);
    return !core?.responds && this.#cores.some(({ responds }) => responds);
  }
}

function knownCores(cores: readonly CoreState[]): readonly KnownCore[] {
  return cores.map(({ address, responds }) => ({ address, responds, hash: placementHash(address) }));
}
