import { placementHash, placementScore } from './rendezvous.ts';

/** A core of the cluster, as a gateway sees it. */
export interface CoreState {
  /** Address of the internal port, `host:port`. */
  readonly address: string;
  /** True if the core is connected and responds. */
  readonly responds: boolean;
}

interface KnownCore extends CoreState {
  hash: number;
}

/**
 * The cores to which a gateway can send calls. All calls with the same key go to the same core while this core responds,
 * even from different gateways. So the limits of a token hold although its calls come through several gateways.
 */
export class CoreSet {
  #cores: readonly KnownCore[];
  readonly #listeners = new Set<() => void>();
  /** Functions to call when a core is lost, by the address of the core. */
  readonly #lossListeners = new Map<string, Set<() => void>>();
  readonly #onSuspect: (address: string) => void;

  /**
   * `address`: the only core at the beginning. `onSuspect` is called with the address of a core that has not replied to
   * a call for a while; it should find out whether the core still responds.
   */
  constructor(address: string, onSuspect: (address: string) => void = () => {}) {
    this.#cores = knownCores([{ address, responds: false }]);
    this.#onSuspect = onSuspect;
  }

  /** True if there is only one core, so that there is nothing to choose. */
  get isSingle(): boolean {
    return this.#cores.length === 1;
  }

  /** Addresses of all cores, `host:port`. */
  get addresses(): readonly string[] {
    return this.#cores.map(({ address }) => address);
  }

  /** All cores, as `update` accepts them. */
  get states(): readonly CoreState[] {
    return this.#cores.map(({ address, responds }) => ({ address, responds }));
  }

  /** Replaces the cores. `cores` must not be empty. */
  update(cores: readonly CoreState[]): void {
    this.#cores = knownCores(cores);
    for (const listener of this.#listeners) listener();
    for (const [address, listeners] of this.#lossListeners) {
      if (this.#isLost(address)) for (const listener of [...listeners]) listener();
    }
  }

  /** Calls `listener` after each update. Returns a function that ends this. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the address of the core for a key (see `placementKey`): the best of the cores that respond, or the best of
   * all if none responds.
   */
  pickCore(key: string): string {
    const [only] = this.#cores;
    const core = this.isSingle ? only : this.#bestCore(key);
    if (!core) throw new Error('a gateway always has at least one core');
    return core.address;
  }

  /** Returns the best of the cores that respond and are not in `tried`; undefined if there is none. */
  pickOther(key: string, tried: ReadonlySet<string>): string | undefined {
    const core = this.#bestCore(key, tried);
    return core?.responds ? core.address : undefined;
  }

  /**
   * Calls `onLost` when a core has left or does not respond while another core responds, so that the calls to the core
   * should be sent to another one. Returns a function that ends this.
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

  /** Call this method if a core has not replied to a call for a while. Does nothing if there is no other core. */
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
