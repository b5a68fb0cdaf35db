import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CoreLink } from '../core/core-link.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

// Answers a route keeps before they are counted: one by one that takes 1 µs each, in a run of them 0.2 µs.
const RUN = 256;

/** The answers of one route, on their way into the metrics. */
export class RouteAnswers {
  readonly #route: string;
  readonly #requests: Counter<'route' | 'status'>;
  readonly #seconds: Pick<Histogram.Internal<'route'>, 'observe'>;
  readonly #statuses = new Map<number, number>();
  readonly #run = new Float64Array(RUN);
  #length = 0;

  constructor(route: string, requests: Counter<'route' | 'status'>, seconds: Histogram<'route'>) {
    this.#route = route;
    this.#requests = requests;
    this.#seconds = seconds.labels(route);
  }

  /** Adds one that took so many seconds. */
  add(status: number, seconds: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    this.#run[this.#length++] = seconds;
    if (this.#length === RUN) this.flush();
  }

  /** Counts what was added. */
  flush(): void {
    const route = this.#route;
    for (const [status, count] of this.#statuses) this.#requests.inc({ route, status }, count);
    this.#statuses.clear();
    for (const seconds of this.#run.subarray(0, this.#length)) this.#seconds.observe(seconds);
    this.#length = 0;
  }
}

/** What the gateway counts. Labels are bounded: three routes and the statuses this service knows. */
export class Metrics {
  readonly registry = new Registry();
  readonly #routes: RouteAnswers[] = [];
  readonly #flush = (): void => {
    for (const route of this.#routes) route.flush();
  };
  readonly #requests = new Counter({
    name: 'gsq_gateway_requests_total',
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'status'],
    registers: [this.registry],
    collect: this.#flush,
  });
  readonly #seconds = new Histogram({
    name: 'gsq_gateway_request_seconds',
    help: 'Time from the headers of a request to its answer, by route',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [this.registry],
    collect: this.#flush,
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Where the answers of a route are counted. */
  answersOf(route: string): RouteAnswers {
    const answers = new RouteAnswers(route, this.#requests, this.#seconds);
    this.#routes.push(answers);
    return answers;
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
