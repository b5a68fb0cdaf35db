import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 10_000;

/** How late timers fired, in seconds. */
export interface Lags {
  p50: number;
  p99: number;
  max: number;
}

/**
 * How late this process comes to what is due, over the last whole ten seconds. Not since the last look, as prom-client
 * has it: then two who look take each other's figures, and of a moment there are none.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #last: Lags | undefined;

  constructor(windowMs = WINDOW_MS) {
    this.#histogram.enable();
    setInterval(() => {
      this.#last = this.#read();
      this.#histogram.reset();
    }, windowMs).unref();
  }

  /** Before the first window is over, as far as it went. */
  get lags(): Lags {
    return this.#last ?? this.#read();
  }

  #read(): Lags {
    const histogram = this.#histogram;
    if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
    // What it tells is the time between two ticks.
    const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
    return {
      p50: lag(histogram.percentile(50)),
      p99: lag(histogram.percentile(99)),
      max: lag(histogram.max),
    };
  }
}
