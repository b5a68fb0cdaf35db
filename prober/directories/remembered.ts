import type { Now } from '../../runtime/clock.ts';

interface Entry<T> {
  /** Until when the value or the failure is as good as a new one. */
  until: number;
  value?: T;
  failure?: unknown;
  loading?: Promise<T>;
}

export interface RememberedOptions<T> {
  now: Now;
  /** How long a value is as good as a new one, in ms. */
  keepMs: (value: T) => number;
  /** How long a failure is; never, unless it says. */
  keepFailureMs?: (error: unknown) => number;
  /** Values at most; the one unused for longest gives way. */
  max: number;
}

/** Values that are loaded when somebody asks, once for all who ask meanwhile, and kept for a while. */
export class Remembered<T> {
  readonly #options: RememberedOptions<T>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: RememberedOptions<T>) {
    this.#options = options;
  }

  /** Whether a value is at hand, so that `get` loads nothing. */
  has(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry?.value !== undefined && this.#options.now() < entry.until;
  }

  /** `load` is given the last value, which is too old by now. Rejects as `load` does. */
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
    // Ages count from the question on: the answer is no newer.
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
