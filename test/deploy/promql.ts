import type { Sample } from './exposition.ts';

/*
 * Evaluates the subset of PromQL that the alerts and dashboards of gsq use, on samples of real processes. Also lists
 * the metrics of an expression. Throws on unsupported syntax. Unlike Prometheus, `rate` and `increase` do not
 * extrapolate to the edges of their range. test/peers compares the results with Prometheus itself.
 */

interface Matcher {
  label: string;
  op: '=' | '!=' | '=~' | '!~';
  text: string;
}

type Node =
  | { kind: 'number'; value: number }
  | { kind: 'selector'; name: string; matchers: Matcher[]; rangeMs?: number }
  | { kind: 'call'; name: string; args: Node[] }
  | { kind: 'aggregate'; op: string; by?: string[]; without?: string[]; arg: Node }
  | { kind: 'binary'; op: string; on?: string[]; left: Node; right: Node };

export type Labels = ReadonlyMap<string, string>;

export interface Value {
  labels: Labels;
  value: number;
}

/** The samples of one target at one time. `labels` contains the labels that the scrape adds, such as `job`. */
export interface Scrape {
  /** Time of the scrape, in milliseconds. */
  at: number;
  labels: Labels;
  /** The samples of the target. Undefined if the target did not answer. */
  samples: readonly Sample[] | undefined;
}

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|("(?:[^"\\]|\\.)*")|([a-zA-Z_:][a-zA-Z0-9_:]*)|(=~|!~|==|!=|<=|>=|[-+*/<>=(){},[\]]))/y;
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGGREGATES = ['sum', 'max', 'min', 'avg', 'count'];
const PRECEDENCE: Record<string, number> = {
  or: 1,
  and: 2,
  unless: 2,
  '==': 3,
  '!=': 3,
  '<': 3,
  '>': 3,
  '<=': 3,
  '>=': 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
};
/** Maximum age of a sample that an instant value can use, in milliseconds. */
const LOOKBACK_MS = 5 * 60_000;

class Parser {
  readonly #tokens: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    TOKEN.lastIndex = 0;
    // Grafana replaces this variable with a duration. Here the duration is always five minutes.
    const plain = text.replaceAll('$__rate_interval', '5m').trim();
    for (let end = 0; end < plain.length; end = TOKEN.lastIndex) {
      TOKEN.lastIndex = end;
      const token = TOKEN.exec(plain);
      if (!token) throw new Error(`cannot read "${plain.slice(end, end + 20)}" in ${text}`);
      this.#tokens.push(token[0].trim());
    }
  }

  whole(): Node {
    const node = this.#expression(0);
    if (this.#at < this.#tokens.length) this.#fail(`"${this.#peek()}" is left over`);
    return node;
  }

  #fail(why: string): never {
    throw new Error(`${why} in ${this.#text}`);
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(expected?: string): string {
    const token = this.#peek();
    if (token === '' || (expected !== undefined && token !== expected)) {
      this.#fail(`found "${token}" where "${expected ?? 'more'}" should be`);
    }
    this.#at++;
    return token;
  }

  #expression(above: number): Node {
    let left = this.#operand();
    for (;;) {
      const op = this.#peek();
      const precedence = Object.hasOwn(PRECEDENCE, op) ? (PRECEDENCE[op] ?? 0) : 0;
      if (precedence <= above) return left;
      this.#take();
      let on: string[] | undefined;
      if (this.#peek() === 'on') {
        this.#take();
        on = this.#names();
      }
      const right = this.#expression(precedence);
      left = { kind: 'binary', op, left, right, ...(on && { on }) };
    }
  }

  #operand(): Node {
    const token = this.#take();
    if (token === '(') {
      const node = this.#expression(0);
      this.#take(')');
      return node;
    }
    if (token === '-') return { kind: 'number', value: -this.#number(this.#take()) };
    if (/^\d/.test(token)) return { kind: 'number', value: this.#number(token) };
    if (!/^[a-zA-Z_:]/.test(token)) this.#fail(`found "${token}" where a metric should be`);
    if (AGGREGATES.includes(token)) return this.#aggregate(token);
    if (this.#peek() !== '(') return this.#selector(token);
    this.#take('(');
    const args: Node[] = [];
    while (this.#peek() !== ')') {
      args.push(this.#expression(0));
      if (this.#peek() === ',') this.#take();
    }
    this.#take(')');
    if (!Object.hasOwn(FUNCTIONS, token)) this.#fail(`${token}() is not known here`);
    return { kind: 'call', name: token, args };
  }

  #number(token: string): number {
    const value = Number(token);
    if (Number.isNaN(value)) this.#fail(`"${token}" is no number`);
    return value;
  }

  #aggregate(op: string): Node {
    const grouping = () => {
      const how = this.#peek();
      if (how !== 'by' && how !== 'without') return {};
      this.#take();
      return { [how]: this.#names() };
    };
    const before = grouping();
    this.#take('(');
    const arg = this.#expression(0);
    this.#take(')');
    return { kind: 'aggregate', op, arg, ...before, ...grouping() };
  }

  #names(): string[] {
    const names: string[] = [];
    this.#take('(');
    while (this.#peek() !== ')') {
      names.push(this.#take());
      if (this.#peek() === ',') this.#take();
    }
    this.#take(')');
    return names;
  }

  #selector(name: string): Node {
    const matchers: Matcher[] = [];
    if (this.#peek() === '{') {
      this.#take();
      while (this.#peek() !== '}') {
        const label = this.#take();
        const op = this.#take() as Matcher['op'];
        if (!['=', '!=', '=~', '!~'].includes(op)) this.#fail(`"${op}" matches nothing`);
        matchers.push({ label, op, text: JSON.parse(this.#take()) });
        if (this.#peek() === ',') this.#take();
      }
      this.#take('}');
    }
    if (this.#peek() !== '[') return { kind: 'selector', name, matchers };
    this.#take('[');
    const amount = this.#number(this.#take());
    const unit = UNIT_MS[this.#take()] ?? this.#fail('no such unit of time');
    this.#take(']');
    return { kind: 'selector', name, matchers, rangeMs: amount * unit };
  }
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  if (node.kind === 'call') for (const arg of node.args) walk(arg, visit);
  else if (node.kind === 'aggregate') walk(node.arg, visit);
  else if (node.kind === 'binary') for (const side of [node.left, node.right]) walk(side, visit);
}

/** Returns the metrics in an expression, each with the labels that the expression selects by. */
export function selectorsOf(expression: string): { name: string; labels: string[] }[] {
  const found: { name: string; labels: string[] }[] = [];
  walk(new Parser(expression).whole(), node => {
    if (node.kind === 'selector')
      found.push({ name: node.name, labels: node.matchers.map(({ label }) => label) });
  });
  return found;
}

function matches(labels: Labels, { label, op, text }: Matcher): boolean {
  const value = labels.get(label) ?? '';
  if (op === '=') return value === text;
  if (op === '!=') return value !== text;
  return new RegExp(`^(?:${text})$`).test(value) === (op === '=~');
}

const keyOf = (labels: Labels): string => JSON.stringify([...labels].sort());

/** A series with its samples, oldest first. */
interface Series {
  labels: Labels;
  points: { at: number; value: number }[];
}

class History {
  readonly #scrapes: readonly Scrape[];

  constructor(scrapes: readonly Scrape[]) {
    this.#scrapes = [...scrapes].sort((a, b) => a.at - b.at);
  }

  /** Returns the series that match a selector, with their samples later than `from` and not later than `to`. */
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

  /** Returns the time of the last scrape of the target of a series, not later than `to`. */
  lastScrape(labels: Labels, to: number): number {
    const of = this.#scrapes.filter(
      scrape => scrape.at <= to && [...scrape.labels].every(([label, text]) => labels.get(label) === text),
    );
    return of.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  }
}

function increaseOf({ points }: Series): number | undefined {
  if (points.length < 2) return undefined;
  let [increase, before] = [0, points[0]?.value ?? 0];
  for (const { value } of points.slice(1)) {
    // A value lower than the previous one means that the counter was reset.
    increase += value >= before ? value - before : value;
    before = value;
  }
  return increase;
}

function secondsOf({ points }: Series): number {
  return ((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)) / 1000;
}

type OverTime = (series: Series, rangeMs: number) => number | undefined;

const OVER_TIME: Record<string, OverTime> = {
  rate: series => {
    const increase = increaseOf(series);
    return increase === undefined ? undefined : increase / secondsOf(series);
  },
  increase: increaseOf,
  changes: ({ points }) => points.filter(({ value }, i) => i > 0 && value !== points[i - 1]?.value).length,
  max_over_time: ({ points }) => Math.max(...points.map(({ value }) => value)),
};

const FUNCTIONS: Record<string, true> = {
  ...(Object.fromEntries(Object.keys(OVER_TIME).map(name => [name, true])) as Record<string, true>),
  histogram_quantile: true,
};

function quantile(share: number, buckets: readonly (readonly [bound: number, count: number])[]): number {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const all = sorted.at(-1)?.[1] ?? 0;
  if (sorted.length < 2 || sorted.at(-1)?.[0] !== Number.POSITIVE_INFINITY || all === 0) return Number.NaN;
  const rank = share * all;
  const i = sorted.findIndex(([, count]) => count >= rank);
  const [bound, count] = sorted[i] ?? [Number.NaN, 0];
  const [below, before] = i > 0 ? (sorted[i - 1] ?? [0, 0]) : [0, 0];
  if (bound === Number.POSITIVE_INFINITY) return below;
  return below + (bound - below) * ((rank - before) / (count - before));
}

const ARITHMETIC: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const COMPARE: Record<string, (a: number, b: number) => boolean> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

function without(labels: Labels, dropped: readonly string[]): Labels {
  return new Map([...labels].filter(([label]) => !dropped.includes(label)));
}

function only(labels: Labels, kept: readonly string[]): Labels {
  return new Map([...labels].filter(([label]) => kept.includes(label)));
}

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
          // A series has no value if it is missing in the last scrape of its target.
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
        value: quantile(first.value, buckets),
      }));
    }
    const over = OVER_TIME[name];
    if (!over || first?.kind !== 'selector' || first.rangeMs === undefined)
      throw new Error(`${name}() takes a metric with a range`);
    const { rangeMs } = first;
    return this.#history.series(first, this.#at - rangeMs, this.#at).flatMap(series => {
      const value = over(series, rangeMs);
      return value === undefined ? [] : { labels: series.labels, value };
    });
  }
}

function aggregate(op: string, values: readonly Value[], group: (labels: Labels) => Labels): Value[] {
  const groups = new Map<string, { labels: Labels; values: number[] }>();
  for (const { labels, value } of values) {
    const grouped = group(labels);
    const found = groups.get(keyOf(grouped)) ?? { labels: grouped, values: [] };
    found.values.push(value);
    groups.set(keyOf(grouped), found);
  }
  return [...groups.values()].map(({ labels, values: all }) => {
    const sum = all.reduce((a, b) => a + b, 0);
    const results: Record<string, number> = {
      sum,
      max: Math.max(...all),
      min: Math.min(...all),
      avg: sum / all.length,
      count: all.length,
    };
    return { labels, value: results[op] ?? Number.NaN };
  });
}

function binary(
  op: string,
  left: number | Value[],
  right: number | Value[],
  on?: string[],
): number | Value[] {
  const compare = COMPARE[op];
  const arithmetic = ARITHMETIC[op];
  const apply = (a: number, b: number): number | undefined =>
    compare ? (compare(a, b) ? a : undefined) : (arithmetic?.(a, b) ?? Number.NaN);
  if (typeof left === 'number' && typeof right === 'number') {
    if (!arithmetic) throw new Error(`${op} between numbers`);
    return arithmetic(left, right);
  }
  if (typeof right === 'number' || typeof left === 'number') {
    if (!compare && !arithmetic) throw new Error(`${op} takes two vectors`);
    const vector = typeof left === 'number' ? (right as Value[]) : left;
    return vector.flatMap(({ labels, value }) => {
      const result = typeof left === 'number' ? apply(left, value) : apply(value, right as number);
      // A comparison returns the values for which the comparison is true.
      return result === undefined ? [] : { labels, value: compare ? value : result };
    });
  }
  const key = (labels: Labels): string => keyOf(on ? only(labels, on) : labels);
  const others = new Map(right.map(each => [key(each.labels), each]));
  if (op === 'or') {
    const known = new Set(left.map(({ labels }) => key(labels)));
    return [...left, ...right.filter(({ labels }) => !known.has(key(labels)))];
  }
  return left.flatMap(each => {
    const other = others.get(key(each.labels));
    if (op === 'unless') return other ? [] : each;
    if (!other) return [];
    if (op === 'and') return each;
    const result = apply(each.value, other.value);
    return result === undefined ? [] : { labels: each.labels, value: result };
  });
}

/** Evaluates an expression at the time `at`, on the samples up to `at`. Throws if the expression cannot be parsed. */
export function evaluate(expression: string, scrapes: readonly Scrape[], at: number): Value[] {
  const value = new Evaluation(new History(scrapes), at).value(new Parser(expression).whole());
  return typeof value === 'number' ? [{ labels: new Map(), value }] : value;
}
