/*
 * A strict parser of the Prometheus text format 0.0.4. It throws if a text violates the format, or a convention that
 * queries rely on.
 */

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary' | 'untyped';

export interface Sample {
  /** Name of a metric sample, including the suffix of a histogram or summary, such as `_bucket`. */
  name: string;
  labels: ReadonlyMap<string, string>;
  value: number;
}

export interface Exposition {
  /** Types of the metrics, such as `counter`, keyed by metric name. The names have no suffixes such as `_bucket`. */
  types: ReadonlyMap<string, MetricType>;
  samples: readonly Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const VALUE = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?Inf|NaN)$/;
const TYPES: readonly string[] = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];
/**
 * Suffixes that a sample name adds to the name of its metric, keyed by metric type. For types that are not in the
 * map, the sample name equals the metric name.
 */
const SUFFIXES: Partial<Record<MetricType, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

class Reader {
  readonly types = new Map<string, MetricType>();
  readonly samples: Sample[] = [];
  readonly #helped = new Set<string>();
  readonly #over = new Set<string>();
  readonly #series = new Set<string>();
  #metric = '';

  line(line: string): void {
    if (line === '') return;
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') this.#help(name, rest);
    else if (kind === 'TYPE') this.#type(name, rest);
    else if (!line.startsWith('#')) this.#sample(line);
  }

  #enter(name: string): void {
    if (!NAME.test(name)) throw new Error(`"${name}" is no name of a metric`);
    if (name === this.#metric) return;
    if (this.#over.has(name)) throw new Error(`${name} comes in two places`);
    this.#over.add(this.#metric);
    this.#metric = name;
  }

  #help(name: string, text: string): void {
    this.#enter(name);
    if (this.#helped.has(name)) throw new Error(`${name} has two HELP lines`);
    if (text.trim() === '') throw new Error(`${name} has an empty HELP`);
    if (/\\[^\\n]/.test(text.replaceAll('\\\\', '')))
      throw new Error(`${name} has a HELP with an unknown escape`);
    this.#helped.add(name);
  }

  #type(name: string, type: string): void {
    this.#enter(name);
    if (this.types.has(name)) throw new Error(`${name} has two TYPE lines`);
    if (!TYPES.includes(type)) throw new Error(`${name} is of the unknown type "${type}"`);
    this.types.set(name, type as MetricType);
  }

  #sample(line: string): void {
    const [, name = ''] = /^([^\s{]+)/.exec(line) ?? [];
    const { labels, end } = line[name.length] === '{' ? readLabels(line, name.length) : noLabels(name.length);
    const [value = '', timestamp, ...more] = line.slice(end).trim().split(/\s+/);
    if (!VALUE.test(value)) throw new Error(`"${value}" is no value: ${line}`);
    if (more.length > 0 || (timestamp !== undefined && !/^-?\d+$/.test(timestamp)))
      throw new Error(`what follows the value is no timestamp: ${line}`);
    const type = this.types.get(this.#metric);
    const suffixes = (type && SUFFIXES[type]) ?? [''];
    if (!type || !suffixes.some(suffix => name === this.#metric + suffix))
      throw new Error(`${name} has no TYPE before it`);
    if (!this.#helped.has(this.#metric)) throw new Error(`${this.#metric} has no HELP`);
    const series = `${name}{${[...labels].map(([key, text]) => `${key}=${JSON.stringify(text)}`).sort()}}`;
    if (this.#series.has(series)) throw new Error(`${series} comes twice`);
    this.#series.add(series);
    this.samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
}

const noLabels = (end: number) => ({ labels: new Map<string, string>(), end });

function readLabels(line: string, start: number): { labels: Map<string, string>; end: number } {
  const labels = new Map<string, string>();
  let at = start + 1;
  while (line[at] !== '}') {
    const pair = /^([^=]*)="((?:[^"\\\n]|\\[\\"n])*)"(,(?!\})|(?=\}))/.exec(line.slice(at));
    if (!pair) throw new Error(`labels that cannot be read: ${line}`);
    const [all, name = '', text = ''] = pair;
    if (!LABEL_NAME.test(name)) throw new Error(`"${name}" is no name of a label: ${line}`);
    if (labels.has(name)) throw new Error(`the label ${name} comes twice: ${line}`);
    labels.set(
      name,
      text.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped)),
    );
    at += all.length;
  }
  return { labels, end: at + 1 };
}

/** Parses the metrics of a process. Throws an error that contains the cause and the faulty line or metric. */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const reader = new Reader();
  for (const line of text.split('\n')) reader.line(line);
  for (const [name, type] of reader.types) checkMetric(name, type, reader.samples);
  return reader;
}

function checkMetric(name: string, type: MetricType, samples: readonly Sample[]): void {
  const of = (suffix: string) => samples.filter(sample => sample.name === name + suffix);
  if (type === 'counter' && of('').some(({ value }) => !(value >= 0))) throw new Error(`${name} is below 0`);
  if (type === 'histogram') {
    const buckets = new Map<string, Sample[]>();
    for (const sample of of('_bucket')) {
      const key = othersOf(sample);
      buckets.set(key, [...(buckets.get(key) ?? []), sample]);
    }
    for (const [key, row] of buckets)
      checkBuckets(`${name}{${key}}`, row, figureOf(of('_count'), key), figureOf(of('_sum'), key));
    for (const sample of of('_count'))
      if (!buckets.has(othersOf(sample))) throw new Error(`${name} has a count without buckets`);
  }
}

function othersOf({ labels }: Sample): string {
  return [...labels]
    .flatMap(([label, text]) => (label === 'le' ? [] : `${label}=${JSON.stringify(text)}`))
    .sort()
    .join();
}

function figureOf(samples: readonly Sample[], key: string): number | undefined {
  return samples.find(sample => othersOf(sample) === key)?.value;
}

function checkBuckets(
  what: string,
  row: readonly Sample[],
  count: number | undefined,
  sum: number | undefined,
): void {
  if (sum === undefined) throw new Error(`${what} has no sum`);
  let [bound, below] = [Number.NEGATIVE_INFINITY, 0];
  for (const { labels, value } of row) {
    const next = Number((labels.get('le') ?? '').replace('Inf', 'Infinity'));
    if (!(next > bound)) throw new Error(`${what} has buckets out of order`);
    if (value < below) throw new Error(`${what} has a bucket with less than the one before it`);
    [bound, below] = [next, value];
  }
  if (bound !== Number.POSITIVE_INFINITY) throw new Error(`${what} has no bucket of +Inf`);
  if (below !== count) throw new Error(`${what} counts ${count}, in its buckets ${below}`);
}
