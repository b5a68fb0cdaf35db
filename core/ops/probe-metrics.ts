import type { Registry } from 'prom-client';
import { PlainHistogram } from '../../runtime/plain-histogram.ts';
import type { ReadMetrics } from '../../runtime/process-metrics.ts';
import type { Dispatcher } from '../schedule/dispatcher.ts';
import type { ReportRecorder } from '../schedule/report-recorder.ts';
import type { ServerStore } from '../servers/server-store.ts';

/**
 * Upper bounds of the buckets in the histogram of schedule lag, s. The lag of a probe is the time from its due time
 * until a prober gets the order to probe.
 */
const LAG_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The objects from which the probe metrics are computed. */
export interface ProbeMetricsDependencies {
  store: ServerStore;
  dispatcher: Dispatcher;
  recorder: ReportRecorder;
}

/** Adds the metrics of leases (orders to probe a server), probers, and reports of probes. */
export function probeMetrics(
  registry: Registry,
  read: ReadMetrics,
  { store, dispatcher, recorder }: ProbeMetricsDependencies,
): void {
  read.gauge(
    'gsq_leases',
    'Probes that are leased to probers and not reported yet.',
    () => store.stats().leased,
  );
  read.gauge('gsq_probers', 'Probers that are connected to the core.', () => dispatcher.probers);
  read.counters('gsq_reports_total', 'Recorded reports of probes, by outcome.', 'outcome', () =>
    [...dispatcher.reports].map(([outcome, count]) => [
      String(outcome).replace('PROBE_OUTCOME_', '').toLowerCase(),
      count,
    ]),
  );
  read.counter(
    'gsq_reports_dropped_total',
    'Reports that were dropped because their lease had expired.',
    () => dispatcher.unleased,
  );
  const lags = new PlainHistogram({
    name: 'gsq_schedule_lag_seconds',
    help: 'Time from the moment a probe was due until it was leased to a prober.',
    buckets: LAG_BUCKETS,
    registry,
  }).series();
  dispatcher.watchLag(seconds => lags.addSample(seconds));
  read.gauge(
    'gsq_schedule_frozen',
    "1 while failed probes are ignored because a prober's own internet connection seems down, else 0.",
    () => (dispatcher.outage ? 1 : 0),
  );
  read.counter(
    'gsq_probes_ignored_total',
    "Failed probes that were ignored because the prober's own internet connection seemed down.",
    () => recorder.ignored,
  );
}
