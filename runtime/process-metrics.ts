import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { EventLoopLag } from './event-loop-lag.ts';
import { LiveHeap } from './live-heap.ts';
import { packageVersion } from './version.ts';

/** The values of one metric by its label. */
export type Figures = Iterable<readonly [label: string, value: number]>;

const LAG = 'nodejs_eventloop_lag_';
/** Gauges that are named like counters, and are the sums of other gauges. */
const MISNAMED = /^nodejs_active_\w+_total$/;
/** Resolution of prom-client's own lag measurement, which cannot be switched off. */
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
      `How late what was due ran, within the last ten seconds: ${kind}.`,
      () => loop.lags[kind],
    );
  }
  const heap = new LiveHeap();
  read.gauge(
    'gsq_heap_live_bytes',
    'What the heap held when all of it was last collected: what is alive, without the garbage.',
    () => heap.bytes,
  );
  new Gauge({
    name: 'gsq_build_info',
    help: '1; which version of the service this is.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: packageVersion() }, 1);
  return registry;
}

/** Metrics that are read from plain numbers at each scrape, so that counting costs no more than an addition. */
export class ReadMetrics {
  readonly #registers: Registry[];

  constructor(registry: Registry) {
    this.#registers = [registry];
  }

  /** A gauge without labels. */
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

  /** A gauge with one label, named `label`. */
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

  /** A counter: `read` returns a number that only grows. */
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

  /** A counter with one label, named `label`. */
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
