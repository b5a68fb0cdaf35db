import type { Now } from '../../runtime/clock.ts';

interface Entry<T> {
  /** Time at which the cached value or the cached error expires, ms. */
  until: number;
  value?: T;
  failure?: unknown;
  loading?: Promise<T>;
}

export interface RememberedOptions<T> {
  now: Now;
  /** Returns the time for which this cache reuses a loaded value, for example a login token, ms. */
  keepMs: (value: T) => number;
  /**
   * Returns how long this cache reuses the error of a failed load, ms. During this time, it does not try to load the
   * value again. If `keepFailureMs` is undefined, the cache never reuses errors.
   */
  keepFailureMs?: (error: unknown) => number;
  /**
   * Maximum number of keys whose values or errors are in this cache. If the cache is full, it drops the least recently
   * used key.
   */
  max: number;
}

/**
 * A cache of values that are loaded on demand, for example a login token. Concurrent requests for one value share one
 * load.
 */
export class LoadingCache<T> {
  readonly #options: RememberedOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: RememberedOptions<T>) {
    this.#options = options;
  }

  /** True if the cache has an unexpired value for this key. `get` then returns this value and loads nothing. */
  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry?.value !== undefined && this.#options.now() < entry.until;
  }

  /**
   * Returns the cached value of `key`, or calls `load` to get a new one. The argument of `load` is the expired value,
   * if any. Rejects if `load` rejects, or if an earlier error is still cached.
   */
  get(key: string, load: (last: T | undefined) => Promise<T>): Promise<T> {
    const entry: Entry<T> = this.#entries.get(key) ?? { until: Number.NEGATIVE_INFINITY };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#makeRoom();
    if (entry.loading) return entry.loading;
    if (this.#options.now() < entry.until) {
      return entry.value === undefined ? Promise.reject(entry.failure) : Promise.resolve(entry.value);
    }
    const loading = this.#load(entry, load).finally(() => delete entry.loading);
    entry.loading = loading;
    return loading;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  async #load(entry: Entry<T>, load: (last: T | undefined) => Promise<T>): Promise<T> {
    const { now, keepMs, keepFailureMs } = this.#options;
    // The lifetime of a value begins when its load starts, because the remote service can create the value (for example
    // a login token) early in the load.
    const asked = now();
    try {
      const value = await load(entry.value);
      entry.value = value;
      entry.until = asked + keepMs(value);
      return value;
    } catch (error) {
      const ms = keepFailureMs?.(error) ?? 0;
      if (ms > 0) {
        delete entry.value;
        entry.failure = error;
        entry.until = asked + ms;
      }
      throw error;
    }
  }

  #makeRoom(): void {
    if (this.#entries.size <= this.#options.max) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }
}
