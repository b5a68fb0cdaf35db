import { readExposition, type Sample } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import type { Stack } from '../system/stack.ts';
import { OPS_ADDR, type ProcessName, processNames } from '../system/stack-settings.ts';

/** Measurements of one process of gsq at one time. */
export interface ProcessSample {
  residentBytes: number;
  /** Live heap of the process after the last full garbage collection, in bytes. */
  liveHeapBytes: number;
  /** Memory of the process outside the JavaScript heap, such as buffers, in bytes. */
  externalBytes: number;
  descriptors: number;
  /** 99th percentile of the event loop lag of the last ten seconds, in seconds. */
  eventLoopLagSeconds: number;
  /** CPU time that the process has used since its start, in seconds. */
  cpuSeconds: number;
}

/** Counters of failures in a soak test, since the start of the processes. Each counter must stay 0. */
export interface Faults {
  /** Number of gateway responses with status 500 or above. The responses of load shedding do not count. */
  serverErrors: number;
  defects: number;
  reportsDropped: number;
  probesIgnored: number;
  /**
   * Number of times that gsq reported a server offline. All fake servers are online, so each such report is an error.
   */
  wentOffline: number;
}

export interface SoakSample {
  /** Time of the measurement, in seconds since the start of the soak test. */
  at: number;
  processes: Record<ProcessName, ProcessSample>;
  /**
   * 99th percentile of the delay from the due time of a probe until a prober gets it, in seconds. Covers the time
   * since the previous measurement. Rounded up to the upper bound of a histogram bucket.
   */
  scheduleLagSeconds: number;
  storeBytes: number;
  /** Number of probes that the core has recorded since its start. */
  probes: number;
  probesOnline: number;
  fetches: number;
  faults: Faults;
}

class Figures {
  readonly #samples: readonly Sample[];

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
  }

  /**
   * Returns the sum of the values of a Prometheus metric, over all its series with these labels. Throws if the metric
   * does not exist.
   */
  sum(name: string, labels: Record<string, string | RegExp> = {}): number {
    const all = this.#samples.filter(sample => sample.name === name);
    if (all.length === 0) throw new Error(`there is no metric ${name}`);
    return all
      .filter(sample =>
        Object.entries(labels).every(([label, wanted]) => {
          const value = sample.labels.get(label) ?? '';
          return typeof wanted === 'string' ? value === wanted : wanted.test(value);
        }),
      )
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** Returns the cumulative counts of a Prometheus histogram without labels, keyed by the upper bound of the bucket. */
  buckets(name: string): Map<number, number> {
    const rows = this.#samples.filter(sample => sample.name === `${name}_bucket`);
    return new Map(
      rows.map(({ labels, value }) => [Number((labels.get('le') ?? '').replace('Inf', 'Infinity')), value]),
    );
  }
}

function processSample(figures: Figures): ProcessSample {
  return {
    residentBytes: figures.sum('process_resident_memory_bytes'),
    liveHeapBytes: figures.sum('gsq_heap_live_bytes'),
    externalBytes: figures.sum('nodejs_external_memory_bytes'),
    descriptors: figures.sum('process_open_fds'),
    eventLoopLagSeconds: figures.sum('nodejs_eventloop_lag_p99_seconds'),
    cpuSeconds: figures.sum('process_cpu_seconds_total'),
  };
}

/** Reads measurements of a running service from the metrics endpoints of its processes. */
export class Sampler {
  readonly #stack: Stack;
  readonly #startedAt = performance.now();
  #lags = new Map<number, number>();

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  async sample(): Promise<SoakSample> {
    const at = (performance.now() - this.#startedAt) / 1000;
    const [core, gateway, prober, notifier] = await Promise.all(
      (['core', 'gateway', 'prober', 'notifier'] as const).map(name => this.#figuresOf(name)),
    );
    if (!core || !gateway || !prober || !notifier)
      throw new Error(`there are ${processNames.length} processes`);
    return {
      at,
      processes: {
        core: processSample(core),
        gateway: processSample(gateway),
        prober: processSample(prober),
        notifier: processSample(notifier),
      },
      scheduleLagSeconds: this.#lagSince(core.buckets('gsq_schedule_lag_seconds')),
      storeBytes: core.sum('gsq_store_bytes'),
      probes: core.sum('gsq_reports_total'),
      probesOnline: core.sum('gsq_reports_total', { outcome: 'online' }),
      fetches: core.sum('gsq_core_calls_total', {
        method: /^(?:FetchCall|FetchServers|FetchServersJson)$/,
        code: 'OK',
      }),
      faults: {
        serverErrors:
          gateway.sum('gsq_gateway_requests_total', { status: /^5/ }) -
          gateway.sum('gsq_gateway_overload_refusals_total'),
        defects: core.sum('gsq_core_calls_total', { code: 'INTERNAL_1' }),
        reportsDropped: core.sum('gsq_reports_dropped_total'),
        probesIgnored: core.sum('gsq_probes_ignored_total'),
        wentOffline: core.sum('gsq_status_changes_total', { status: 'offline' }),
      },
    };
  }

  async #figuresOf(name: ProcessName): Promise<Figures> {
    const text = await metricsText(this.#stack.process(name).address(OPS_ADDR[name]));
    return new Figures(readExposition(text).samples);
  }

  #lagSince(now: Map<number, number>): number {
    const counts = [...now].map(([bound, count]) => [bound, count - (this.#lags.get(bound) ?? 0)] as const);
    this.#lags = now;
    const all = counts.at(-1)?.[1] ?? 0;
    return all === 0 ? 0 : (counts.find(([, count]) => count >= all * 0.99)?.[0] ?? Number.NaN);
  }
}
