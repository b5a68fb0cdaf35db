import { readExposition, type Sample } from '../deploy/exposition.ts';
import { metricsText, opsSettings } from '../deploy/scrape.ts';
import { type ProcessName, processNames, type Stack } from '../system/stack.ts';

/** One process at one moment. */
export interface ProcessSample {
  residentBytes: number;
  /** What it held when all of it was last collected. */
  liveHeapBytes: number;
  /** Buffers and what else is not on the heap. */
  externalBytes: number;
  descriptors: number;
  /** p99 of the last ten seconds. */
  eventLoopLagSeconds: number;
  /** Seconds so far. */
  cpuSeconds: number;
}

/** What went wrong so far, each to be 0. */
export interface Faults {
  /** Answers of the gateway of 500 and above, but for refusals of what is too much. */
  serverErrors: number;
  defects: number;
  reportsDropped: number;
  probesIgnored: number;
  /** Servers called offline, of which none is. */
  wentOffline: number;
}

export interface SoakSample {
  /** Seconds since the soak began. */
  at: number;
  processes: Record<ProcessName, ProcessSample>;
  /** p99 of the leases since the sample before; an upper bound, by buckets. */
  scheduleLagSeconds: number;
  storeBytes: number;
  /** So far. */
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

  /** The sum of a metric's series whose labels are these. Throws where there is no such metric. */
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

  /** Upper bounds and counts of a histogram without labels. */
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

/** Looks at a stack by what its ops endpoints tell. */
export class Sampler {
  readonly #stack: Stack;
  readonly #startedAt = performance.now();
  #lags = new Map<number, number>();

  constructor(stack: Stack) {
    this.#stack = stack;
  }

  async sample(): Promise<SoakSample> {
    const at = (performance.now() - this.#startedAt) / 1000;
    const [core, gateway, prober] = await Promise.all(
      (['core', 'gateway', 'prober'] as const).map(name => this.#figuresOf(name)),
    );
    if (!core || !gateway || !prober) throw new Error(`there are ${processNames.length} processes`);
    return {
      at,
      processes: {
        core: processSample(core),
        gateway: processSample(gateway),
        prober: processSample(prober),
      },
      scheduleLagSeconds: this.#lagSince(core.buckets('gsq_schedule_lag_seconds')),
      storeBytes: core.sum('gsq_store_bytes'),
      probes: core.sum('gsq_reports_total'),
      probesOnline: core.sum('gsq_reports_total', { outcome: 'online' }),
      fetches: core.sum('gsq_core_calls_total', { method: /^(?:FetchCall|FetchServers)$/, code: 'OK' }),
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
    const text = await metricsText(this.#stack.process(name).address(opsSettings[name]));
    return new Figures(readExposition(text).samples);
  }

  #lagSince(now: Map<number, number>): number {
    const counts = [...now].map(([bound, count]) => [bound, count - (this.#lags.get(bound) ?? 0)] as const);
    this.#lags = now;
    const all = counts.at(-1)?.[1] ?? 0;
    return all === 0 ? 0 : (counts.find(([, count]) => count >= all * 0.99)?.[0] ?? Number.NaN);
  }
}
