import { keyOf, type Labels, only, type Value } from './series.ts';

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

/**
 * Aggregates values with a PromQL operator such as `sum`. `group` maps the labels of a value to the labels of its
 * group. Returns one value for each group.
 */
export function aggregate(op: string, values: readonly Value[], group: (labels: Labels) => Labels): Value[] {
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

/**
 * Applies a binary operator to numbers or vectors. A left value and a right value match if all their labels are equal.
 * With `on`, only the labels in `on` must be equal. Throws if PromQL does not allow the operator between these
 * operands.
 */
export function binary(
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
      // A comparison in PromQL is a filter: it keeps the values for which it is true, and drops all others.
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
