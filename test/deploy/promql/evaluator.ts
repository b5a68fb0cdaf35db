import { histogramQuantile, rangeFunctions } from './functions.ts';
import { aggregate, binary } from './operators.ts';
import { type Node, parseExpression } from './parser.ts';
import { History, keyOf, type Labels, only, type Scrape, type Value, without } from './series.ts';

/*
 * Evaluates the subset of PromQL that the alerts and dashboards of gsq use. Throws on other syntax. Unlike in
 * Prometheus, `rate` and `increase` do not extrapolate to the edges of their range. test/peers compares the results
 * with Prometheus.
 */

/** Maximum age of a sample, in ms. For a selector without a time range, PromQL ignores older samples. */
const LOOKBACK_MS = 5 * 60_000;

class Evaluation {
  readonly #history: History;
  readonly #at: number;

  constructor(history: History, at: number) {
    this.#history = history;
    this.#at = at;
  }

  value(node: Node): number | Value[] {
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'selector':
        if (node.rangeMs !== undefined) throw new Error(`${node.name} has a range where a value is needed`);
        return this.#history.series(node, this.#at - LOOKBACK_MS, this.#at).flatMap(({ labels, points }) => {
          const last = points.at(-1);
          // In PromQL, a series has no value if it is missing from the last scrape of its target.
          return last && last.at === this.#history.lastScrape(labels, this.#at)
            ? { labels, value: last.value }
            : [];
        });
      case 'call':
        return this.#call(node.name, node.args);
      case 'aggregate':
        return aggregate(node.op, this.#vector(node.arg), labels =>
          node.without ? without(labels, node.without) : only(labels, node.by ?? []),
        );
      case 'binary':
        return binary(node.op, this.value(node.left), this.value(node.right), node.on);
    }
  }

  #vector(node: Node): Value[] {
    const value = this.value(node);
    return typeof value === 'number' ? [{ labels: new Map(), value }] : value;
  }

  #call(name: string, args: readonly Node[]): Value[] {
    const [first, second] = args;
    if (name === 'histogram_quantile' && first?.kind === 'number' && second) {
      const rows = new Map<string, { labels: Labels; buckets: [number, number][] }>();
      for (const { labels, value } of this.#vector(second)) {
        const rest = without(labels, ['le']);
        const row = rows.get(keyOf(rest)) ?? { labels: rest, buckets: [] };
        row.buckets.push([Number((labels.get('le') ?? '').replace('Inf', 'Infinity')), value]);
        rows.set(keyOf(rest), row);
      }
      return [...rows.values()].map(({ labels, buckets }) => ({
        labels,
        value: histogramQuantile(first.value, buckets),
      }));
    }
    const over = rangeFunctions[name];
    if (!over || first?.kind !== 'selector' || first.rangeMs === undefined)
      throw new Error(`${name}() takes a metric with a range`);
    const { rangeMs } = first;
    return this.#history.series(first, this.#at - rangeMs, this.#at).flatMap(series => {
      const value = over(series, rangeMs);
      return value === undefined ? [] : { labels: series.labels, value };
    });
  }
}

/**
 * Evaluates a PromQL expression at the time `at`, on the metric samples up to `at`. Throws if the expression cannot be
 * parsed.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[], at: number): Value[] {
  const value = new Evaluation(new History(scrapes), at).value(parseExpression(expression));
  return typeof value === 'number' ? [{ labels: new Map(), value }] : value;
}
