import type { Sample } from '../exposition.ts';
import type { Matcher } from './parser.ts';

/** Labels of a metric series, keyed by label name. */
export type Labels = ReadonlyMap<string, string>;

/** Value of one metric series at one time. */
export interface Value {
  labels: Labels;
  value: number;
}

/**
 * The metric samples of one Prometheus target at one time. `labels` contains the labels that the scrape adds, such as
 * `job`.
 */
export interface Scrape {
  /** Time at which Prometheus read the samples of the target, Unix ms. */
  at: number;
  labels: Labels;
  /** The metric samples of the scraped target. Undefined if the target did not answer. */
  samples: readonly Sample[] | undefined;
}

/** Returns the key of the metric series with these labels. The order of the labels does not change the key. */
export function keyOf(labels: Labels): string {
  return JSON.stringify([...labels].sort());
}

/** Returns the labels of a metric series without the labels whose names are in `dropped`. */
export function without(labels: Labels, dropped: readonly string[]): Labels {
  return new Map([...labels].filter(([label]) => !dropped.includes(label)));
}

/** Returns only those labels of a metric series whose names are in `kept`. */
export function only(labels: Labels, kept: readonly string[]): Labels {
  return new Map([...labels].filter(([label]) => kept.includes(label)));
}

function matches(labels: Labels, { label, op, text }: Matcher): boolean {
  const value = labels.get(label) ?? '';
  if (op === '=') return value === text;
  if (op === '!=') return value !== text;
  return new RegExp(`^(?:${text})$`).test(value) === (op === '=~');
}

/** A metric series with its samples, oldest first. */
export interface Series {
  labels: Labels;
  points: { at: number; value: number }[];
}

/** Stores the scrapes of all Prometheus targets, and finds metric series in them. */
export class History {
  readonly #scrapes: readonly Scrape[];

  constructor(scrapes: readonly Scrape[]) {
    this.#scrapes = [...scrapes].sort((a, b) => a.at - b.at);
  }

  /**
   * Returns the metric series that match a PromQL selector, with their samples later than `from` and not later than
   * `to`.
   */
  series({ name, matchers }: { name: string; matchers: Matcher[] }, from: number, to: number): Series[] {
    const found = new Map<string, Series>();
    for (const { at, labels, samples } of this.#scrapes) {
      if (at <= from || at > to) continue;
      const up: Sample = { name: 'up', labels: new Map(), value: samples ? 1 : 0 };
      for (const sample of [up, ...(samples ?? [])]) {
        if (sample.name !== name) continue;
        const all = new Map([...sample.labels, ...labels]);
        if (!matchers.every(matcher => matches(all, matcher))) continue;
        const key = keyOf(all);
        const series = found.get(key) ?? { labels: all, points: [] };
        series.points.push({ at, value: sample.value });
        found.set(key, series);
      }
    }
    return [...found.values()];
  }

  /**
   * Finds the target that exposes the series with these labels. Returns the time of the target's last scrape that is
   * not later than `to`.
   */
  lastScrape(labels: Labels, to: number): number {
    const of = this.#scrapes.filter(
      scrape => scrape.at <= to && [...scrape.labels].every(([label, text]) => labels.get(label) === text),
    );
    return of.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  }
}
