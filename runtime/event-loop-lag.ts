import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 10_000;

/** Event loop lag within one window, in seconds. The lag is the time by which a timer fires too late. */
export interface Lags {
  p50: number;
  p99: number;
  max: number;
}

/**
 * Measures the event loop lag in windows of ten seconds. The library prom-client measures the lag too, but begins a new
 * measurement at each scrape. With two scrapers, both would get wrong values.
 */
export class EventLoopLag {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #lastWindow: Lags | undefined;

  constructor(windowMs = WINDOW_MS) {
    this.#histogram.enable();
    setInterval(() => {
      this.#lastWindow = this.#readHistogram();
      this.#histogram.reset();
    }, windowMs).unref();
  }

  /** The event loop lag in the last complete window. Before the first window is complete: the lag since the start. */
  get lags(): Lags {
    return this.#lastWindow ?? this.#readHistogram();
  }

  #readHistogram(): Lags {
    const histogram = this.#histogram;
    if (histogram.count === 0) return { p50: 0, p99: 0, max: 0 };
    // The histogram contains the times between consecutive ticks of a timer, in nanoseconds. The lag is such a time
    // minus RESOLUTION_MS, the interval of the timer.
    const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
    return {
      p50: lag(histogram.percentile(50)),
      p99: lag(histogram.percentile(99)),
      max: lag(histogram.max),
    };
  }
}
