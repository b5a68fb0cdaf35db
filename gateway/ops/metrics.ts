import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CoreLink } from '../core/core-link.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What the gateway counts. Labels are bounded: three routes and the statuses this service knows. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: 'gsq_gateway_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'status'],
    registers: [this.registry],
  });
  readonly #seconds = new Histogram({
    name: 'gsq_gateway_request_seconds',
    help: 'Time from the headers of a request to its answer, by route',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  observe(route: string, status: number, seconds: number): void {
    this.#requests.inc({ route, status });
    this.#seconds.observe({ route }, seconds);
  }

  /** Adds gauges of the link, read when metrics are. */
  watch(link: CoreLink): void {
    new Gauge({
      name: 'gsq_gateway_core_calls_in_flight',
      help: 'Calls to the core that have no answer yet',
      registers: [this.registry],
      collect() {
        this.set(link.inFlight);
      },
    });
    new Gauge({
      name: 'gsq_gateway_core_connected',
      help: '1 while a stream to the core is open',
      registers: [this.registry],
      collect() {
        this.set(link.connected ? 1 : 0);
      },
    });
  }
}
