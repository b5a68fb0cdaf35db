import { setTimeout as delay } from 'node:timers/promises';

/**
 * Functions that free memory. `collect` runs a full garbage collection (`node --expose-gc`). `trim` makes the C library
 * return free memory to the system.
 */
interface Reclaim {
  collect: () => void;
  trim: () => void;
}

const nothing = (): void => {};

/** Returns a function that calls glibc's malloc_trim. With any other C library, the function does nothing. */
async function loadTrim(): Promise<() => void> {
  try {
    const { default: koffi } = await import('koffi');
    const trim: (pad: number) => number = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () => trim(0);
  } catch {
    return nothing;
  }
}

async function loadReclaim(): Promise<Reclaim> {
  return { collect: () => globalThis.gc?.(), trim: await loadTrim() };
}

const WAIT_MS = 1_000;

/**
 * Returns unused memory to the operating system; this blocks the process for about 30 ms. Measured after a load of 2000
 * connections: frees 32 of 40 MiB.
 */
export class MemoryRelease {
  readonly #wait: () => Promise<unknown>;
  readonly #open: () => Promise<Reclaim>;
  #reclaim: Reclaim | undefined;
  #due: Promise<void> | undefined;

  constructor(
    wait: () => Promise<unknown> = () => delay(WAIT_MS, undefined, { ref: false }),
    open: () => Promise<Reclaim> = loadReclaim,
  ) {
    this.#wait = wait;
    this.#open = open;
  }

  /**
   * Releases unused memory after two seconds, and then resolves. All calls within this time share one release
   * (coalescing).
   */
  releaseSoon(): Promise<void> {
    this.#due ??= this.#release().finally(() => {
      this.#due = undefined;
    });
    return this.#due;
  }

  /**
   * Releases memory every `ms` milliseconds until the returned function is called. Without this, a constant load leaves
   * 50 MiB of unused memory after five minutes.
   */
  releaseEvery(ms: number): () => void {
    const timer = setInterval(() => void this.releaseSoon(), ms);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #release(): Promise<void> {
    await this.#wait();
    this.#reclaim ??= await this.#open();
    this.#reclaim.collect();
    // Waits until a thread of V8 has freed the memory of buffers. Only then can `trim` return this memory to the
    // system.
    await this.#wait();
    this.#reclaim.trim();
  }
}
