import type { Metric, Registry } from 'prom-client';

/** Counts the samples of one series in buckets: 0.03 µs a sample, against 0.5 to 1 µs in prom-client. */
export class Buckets {
  readonly #bounds: Float64Array;
  /** Samples by bucket, the last one for those above all bounds; not cumulative. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Adds one sample. */
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

  /** Numbers of samples up to each bound, and of all samples. */
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
  /** Upper bounds, ascending. */
  buckets: readonly number[];
  registry: Registry;
}

interface Row {
  metricName: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** A histogram of a prom-client registry that counts samples in plain numbers and creates labelled values only at a scrape. */
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
    // A registry uses only the name and `get` of a metric; its types demand more.
    registry.registerMetric(this as unknown as Metric);
  }

  /** Adds the series with these label values; to be called once for each. A series with labels is exported from its first sample on. */
  series(...values: readonly string[]): Buckets {
    const labels = Object.fromEntries(this.#labelNames.map((label, i) => [label, values[i] ?? '']));
    const buckets = new Buckets(this.#buckets);
    this.#series.push({ labels, buckets });
    return buckets;
  }

  /** The values of all series; the registry calls it at a scrape. */
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
