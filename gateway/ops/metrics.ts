import { Counter } from 'prom-client';
import type { AddressCap } from '../../net/address-cap.ts';
import { type Buckets, PlainHistogram } from '../../runtime/plain-histogram.ts';
import { processMetrics, ReadMetrics } from '../../runtime/process-metrics.ts';
import type { CoreLinks } from '../upstream/core-links.ts';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * HTTP statuses that the Prometheus alerts watch. The counters of these statuses exist from the start of the process.
 */
const FROM_START = [200, 500, 503];

/** Counts the answers of one route by status. The counters are plain numbers, which Prometheus reads at each scrape. */
export class RouteAnswers {
  readonly route: string;
  // The number of answers for each HTTP status. The counters that alerts watch (FROM_START) exist with the value 0
  // before the first answer. If a counter first appeared with the value 1, Prometheus would not see the increase.
  readonly statuses = new Map<number, number>(FROM_START.map(status => [status, 0]));
  readonly #seconds: Buckets;

  constructor(route: string, seconds: Buckets) {
    this.route = route;
    this.#seconds = seconds;
  }

  /** Counts one HTTP answer by status, and adds its duration to the histogram. */
  countAnswer(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    this.#seconds.addSample(seconds);
  }
}

/**
 * The Prometheus metrics of the gateway. Their labels have few different values, because labels contain only routes and
 * HTTP statuses that the gateway sends.
 */
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

  /** Registers a route and returns the counters of its answers. Must be called once for each route. */
  answersOf(route: string): RouteAnswers {
    const answers = new RouteAnswers(route, this.#seconds.series(route));
    this.#routes.push(answers);
    return answers;
  }

  /** Adds the metrics of the connections from this gateway to the cores. Each scrape reads their current values. */
  watchLink(link: CoreLinks): void {
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
      () => link.refusals,
    );
  }

  /** Adds the metric with the number of open event streams. */
  watchEvents(events: { readonly streams: number }): void {
    this.#read.gauge('gsq_gateway_event_streams', 'Open streams of events', () => events.streams);
  }

  /**
   * Adds the metric of refused connections. `perAddress` limits the connections from each address, and counts those
   * that it refuses. If callers connect through a proxy, `perAddress` is undefined, because all their connections come
   * from the address of the proxy.
   */
  watchConnections(perAddress: AddressCap | undefined): void {
    this.#read.counter(
      'gsq_gateway_connections_refused_total',
      'Connections closed on arrival, because their IP address had too many open connections',
      () => perAddress?.refused ?? 0,
    );
  }
}
