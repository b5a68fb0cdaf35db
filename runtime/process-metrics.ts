import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { EventLoopLag } from './event-loop-lag.ts';
import { LiveHeap } from './live-heap.ts';
import { packageVersion } from './version.ts';

/** The values of one metric, each with the value of its label. */
export type Figures = Iterable<readonly [label: string, value: number]>;

const LAG = 'nodejs_eventloop_lag_';
/**
 * Matches gauges such as nodejs_active_handles_total, which gsq removes: only the name of a counter should end in
 * `_total`.
 */
const MISNAMED = /^nodejs_active_\w+_total$/;
/**
 * Interval of prom-client's measurement of the event loop lag, in milliseconds. It is long, because gsq does not use
 * this measurement.
 */
const RARELY_MS = 60_000;

/** Creates a registry with the metrics of every process: version, memory, CPU, file descriptors and event loop. */
export function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: RARELY_MS });
  for (const { name } of registry.getMetricsAsArray()) {
    if (name.startsWith(LAG) || MISNAMED.test(name)) registry.removeSingleMetric(name);
  }
  const loop = new EventLoopLag();
  const read = new ReadMetrics(registry);
  for (const kind of ['p50', 'p99', 'max'] as const) {
    read.gauge(
      `${LAG}${kind}_seconds`,
      `Event loop lag within the last window of ten seconds: ${kind}.`,
      () => loop.lags[kind],
    );
  }
  const heap = new LiveHeap();
  read.gauge(
    'gsq_heap_live_bytes',
    'Used heap after the last full garbage collection: live objects, without garbage.',
    () => heap.bytes,
  );
  new Gauge({
    name: 'gsq_build_info',
    help: 'Always 1. The label version is the version of gsq.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: packageVersion() }, 1);
  return registry;
}

/**
 * Registers metrics whose values other modules keep as plain numbers. The numbers are read at each scrape, so counting
 * an event costs only an addition.
 */
export class ReadMetrics {
  readonly #registers: Registry[];

  constructor(registry: Registry) {
    this.#registers = [registry];
  }

  /** Registers a gauge without labels. `read` returns its value. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Registers a gauge with one label. `label` is the name of the label. */
  gauges(name: string, help: string, label: string, read: () => Figures): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: this.#registers,
      collect() {
        this.reset();
        for (const [value, figure] of read()) this.set({ [label]: value }, figure);
      },
    });
  }

  /** Registers a counter without labels. `read` returns a number that never decreases. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Registers a counter with one label. `label` is the name of the label. */
  counters(name: string, help: string, label: string, read: () => Figures): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.#registers,
      collect() {
        this.reset();
        for (const [value, figure] of read()) this.inc({ [label]: value }, figure);
      },
    });
  }
}
