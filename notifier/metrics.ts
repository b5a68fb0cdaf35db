import { Counter, type Registry } from 'prom-client';
import { PlainHistogram } from '../runtime/plain-histogram.ts';
import { ReadMetrics } from '../runtime/process-metrics.ts';
import type { SentDelivery } from './delivery-sender.ts';
import type { LeaseLoop } from './lease-loop.ts';

/** Upper bounds of the histogram buckets for the duration of a delivery, seconds. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Registers the metrics of webhook deliveries. Returns the function that adds the result of a delivery to the metrics.
 */
export function registerDeliveryMetrics(
  registry: Registry,
  loop: () => Pick<LeaseLoop, 'inFlight' | 'connected'>,
): (result: SentDelivery) => void {
  const total = new Counter({
    name: 'gsq_deliveries_total',
    help: 'Attempts to deliver webhooks, by the class of the HTTP status of the answer: 2xx to 5xx, or none.',
    labelNames: ['status'],
    registers: [registry],
  });
  // The counters of deliveries start at 0 before the first delivery. Otherwise Prometheus would not see the first
  // increase.
  for (const status of ['2xx', '3xx', '4xx', '5xx', 'none']) total.inc({ status }, 0);
  const histogram = new PlainHistogram({
    name: 'gsq_delivery_seconds',
    help: 'Duration of attempts to deliver webhooks, including the look-up of the host name.',
    buckets: BUCKETS,
    registry,
  });
  const seconds = histogram.series();
  const read = new ReadMetrics(registry);
  read.gauge('gsq_deliveries_in_flight', 'Deliveries that are being sent.', () => loop().inFlight);
  read.gauge('gsq_notifier_connected', '1 if the notifier reaches the core, else 0.', () =>
    loop().connected ? 1 : 0,
  );
  return ({ httpStatus, durationMs }) => {
    total.inc({ status: httpStatus === 0 ? 'none' : `${Math.floor(httpStatus / 100)}xx` });
    seconds.addSample(durationMs / 1000);
  };
}
