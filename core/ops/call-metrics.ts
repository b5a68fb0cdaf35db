import { Counter, Gauge, type Registry } from 'prom-client';
import { PlainHistogram } from '../../runtime/plain-histogram.ts';
import type { CallJournal } from '../rpc/call-journal.ts';

/** Upper bounds of the buckets in the histogram of call durations, s. */
const CALL_BUCKETS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10,
];

/**
 * Adds the metrics of gRPC calls to a metrics registry. `journals`: the call counters of each port, keyed by `public`
 * and `internal`.
 */
export function callMetrics(registry: Registry, journals: Readonly<Record<string, CallJournal>>): void {
  const registers = [registry];
  const ports = Object.entries(journals);
  new Counter({
    name: 'gsq_core_calls_total',
    help: 'Answered calls, by port, method and code (OK, CANCELLED, or the code of the error). FetchCall: one call in a FetchStream.',
    labelNames: ['port', 'method', 'code'],
    registers,
    collect() {
      this.reset();
      for (const [port, { methods }] of ports) {
        for (const { method, ended } of methods) {
          for (const [code, count] of ended) this.inc({ port, method, code }, count);
        }
      }
    },
  });
  new Gauge({
    name: 'gsq_core_calls_in_flight',
    help: 'Calls in progress, by port and method. A stream counts as one call.',
    labelNames: ['port', 'method'],
    registers,
    collect() {
      for (const [port, { methods }] of ports) {
        for (const { method, inFlight } of methods) this.set({ port, method }, inFlight);
      }
    },
  });
  const seconds = new PlainHistogram({
    name: 'gsq_core_call_seconds',
    help: 'Duration of calls in the core, by port and method. Excludes streams, and calls that wait for a probe.',
    labelNames: ['port', 'method'],
    buckets: CALL_BUCKETS,
    registry,
  });
  for (const [port, journal] of ports) {
    journal.watchMethods(method => {
      const own = seconds.series(port, method.method);
      method.onSeconds = took => own.addSample(took);
    });
  }
}
