import { Counter } from 'prom-client';
import type { AddressCap } from '../../net/address-cap.ts';
import { type Buckets, PlainHistogram } from '../../runtime/plain-histogram.ts';
import { processMetrics, ReadMetrics } from '../../runtime/process-metrics.ts';
import type { CoreLink } from '../upstream/core-link.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Statuses that are there before their first answer: those that alerts look for. */
const FROM_START = [200, 500, 503];

/** The answers of one route, in plain numbers. */
export class RouteAnswers {
  readonly route: string;
  // A count that begins at 0 is seen to grow; of one that begins at 1 nobody sees the first.
  readonly statuses = new Map<number, number>(FROM_START.map(status => [status, 0]));
  readonly #seconds: Buckets;

  constructor(route: string, seconds: Buckets) {
    this.route = route;
    this.#seconds = seconds;
  }

  /** Adds one that took so many seconds. */
  add(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#seconds.add(seconds);
  }
}

/** What the gateway counts. Labels are bounded: three routes and the statuses this service knows. */
export class Metrics {
  readonly registry = processMetrics();
  readonly #read = new ReadMetrics(this.registry);
  readonly #routes: RouteAnswers[] = [];
  readonly #seconds = new PlainHistogram({
    name: 'gsq_gateway_request_seconds',
    help: 'Time from the headers of a request to its answer, by route',
    labelNames: ['route'],
    buckets: BUCKETS,
    registry: this.registry,
  });

  constructor() {
    const routes = this.#routes;
    new Counter({
      name: 'gsq_gateway_requests_total',
      help: 'Requests answered, by route and status',
      labelNames: ['route', 'status'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { route, statuses } of routes) {
          for (const [status, count] of statuses) this.inc({ route, status }, count);
        }
      },
    });
  }

  /** Where the answers of a route are counted. */
  answersOf(route: string): RouteAnswers {
    const answers = new RouteAnswers(route, this.#seconds.series(route));
    this.#routes.push(answers);
    return answers;
  }

  /** Adds what the link tells, read when metrics are. */
  watch(link: CoreLink): void {
    const read = this.#read;
    read.gauge(
      'gsq_gateway_core_calls_in_flight',
      'Calls to the core that have no answer yet',
      () => link.inFlight,
    );
    read.gauge('gsq_gateway_core_connected', '1 while a stream to the core is open', () =>
      link.connected ? 1 : 0,
    );
    read.counter(
      'gsq_gateway_overload_refusals_total',
      'Requests refused because too many were in progress',
      () => link.overloads,
    );
  }

  /** Adds what becomes of connections; no cap where callers are not told apart. */
  watchConnections(perAddress: AddressCap | undefined): void {
    this.#read.counter(
      'gsq_gateway_connections_refused_total',
      'Connections closed as they came, because their address had its share',
      () => perAddress?.refused ?? 0,
    );
  }
}
