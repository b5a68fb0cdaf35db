import type { Metric, Registry } from 'prom-client';

/**
 * Counts the samples of one time series in histogram buckets. Adding a sample takes 0.03 µs; in prom-client it takes
 * 0.5 to 1 µs.
 */
export class Buckets {
  readonly #bounds: Float64Array;
  /**
   * Number of samples in each bucket of the histogram. Each sample counts in one bucket only. The last bucket is for
   * values above the highest bound.
   */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Adds one value to the histogram. */
  addSample(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /**
   * Returns the cumulative counts: for each upper bound, the number of samples up to this bound. The last element is
   * the number of all samples.
   */
  cumulative(): number[] {
    let count = 0;
    return Array.from(this.#counts, each => {
      count += each;
      return count;
    });
  }
}

/** Name, labels and buckets of a histogram. */
export interface PlainHistogramOptions {
  name: string;
  help: string;
  labelNames?: readonly string[];
  /** Upper bounds of the histogram buckets, in ascending order. */
  buckets: readonly number[];
  registry: Registry;
}

interface Row {
  metricName: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/**
 * A histogram for a prom-client registry. Adding a sample only increments a plain number. The objects that prom-client
 * exports are created only at a scrape.
 */
export class PlainHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = 'histogram';
  readonly #labelNames: readonly string[];
  readonly #buckets: readonly number[];
  readonly #series: { labels: Readonly<Record<string, string>>; buckets: Buckets }[] = [];

  constructor({ name, help, labelNames = [], buckets, registry }: PlainHistogramOptions) {
    this.name = name;
    this.help = help;
    this.#labelNames = labelNames;
    this.#buckets = buckets;
    // This class lacks some members of prom-client's `Metric`. That is safe, because the registry uses only `name` and
    // `get`.
    registry.registerMetric(this as unknown as Metric);
  }

  /**
   * Adds a time series with these label values. Call this once for each combination of label values. A series with
   * labels is exported only after its first sample.
   */
  series(...values: readonly string[]): Buckets {
    const labels = Object.fromEntries(this.#labelNames.map((label, i) => [label, values[i] ?? '']));
    const buckets = new Buckets(this.#buckets);
    this.#series.push({ labels, buckets });
    return buckets;
  }

  /**
   * Returns the values of all time series of the histogram. The registry of prom-client calls this method at each
   * scrape.
   */
  async get() {
    const { name, help, type } = this;
    const values = this.#series.flatMap(({ labels, buckets }) => this.#rows(labels, buckets));
    return { name, help, type, values, aggregator: 'sum' };
  }

  #rows(labels: Readonly<Record<string, string>>, buckets: Buckets): Row[] {
    const counts = buckets.cumulative();
    const count = counts.at(-1) ?? 0;
    if (count === 0 && this.#labelNames.length > 0) return [];
    return [
      ...counts.map((value, i) => ({
        metricName: `${this.name}_bucket`,
        labels: { le: this.#buckets[i] ?? '+Inf', ...labels },
        value,
      })),
      { metricName: `${this.name}_sum`, labels, value: buckets.sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
