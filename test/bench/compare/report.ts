import { median } from '../rounds.ts';
import { type Column, judged, judgedColumns, type Table } from '../table.ts';
import type { Cost, Pair } from './pair.ts';
import { pairedRatio } from './ratio.ts';

/**
 * Limit for the ratio of CPU times (`before / after`) in a comparison of two checkouts: the lower end of the confidence
 * interval of this ratio must be at least this value.
 */
const TARGET = 0.95;

const processes = ['gateway', 'core', 'prober'];

const columns: Column[] = [
  { key: 'row', heading: 'answer or probe' },
  { key: 'before', heading: 'before µs', digits: 1 },
  { key: 'after', heading: 'after µs', digits: 1 },
  { key: 'ratio', heading: 'before / after', digits: 3 },
  { key: 'low', heading: 'from', digits: 3 },
  { key: 'high', heading: 'to', digits: 3 },
  ...judgedColumns,
  ...processes.map(name => ({ key: name, heading: name, digits: 3 })),
];

const total = (cost: Cost): number => Object.values(cost).reduce((sum, used) => sum + used, 0);

function rowOf(row: string, rounds: readonly Pair<Cost>[]): Table['rows'][0] {
  const [before, after] = [rounds.map(([cost]) => total(cost)), rounds.map(([, cost]) => total(cost))];
  const known = processes.filter(name => rounds.every(pair => pair.every(cost => (cost[name] ?? 0) > 0)));
  const ofProcess = (name: string, side: 0 | 1) => rounds.map(pair => pair[side][name] ?? Number.NaN);
  const ratio = pairedRatio(before, after);
  return {
    row,
    before: median(before),
    after: median(after),
    ...ratio,
    ...judged(ratio.low, '>=', TARGET),
    ...Object.fromEntries(
      known.map(name => [name, pairedRatio(ofProcess(name, 0), ofProcess(name, 1)).ratio]),
    ),
  };
}

/**
 * Returns the table that compares the CPU costs of two checkouts. `found`: the measured costs, keyed by name of the
 * table row. Each row has one pair of costs (before, after) for each round.
 */
export function compared(
  against: string,
  seconds: number,
  found: Readonly<Record<string, readonly Pair<Cost>[]>>,
): Table {
  const rows = Object.entries(found).map(([row, rounds]) => rowOf(row, rounds));
  const rounds = Math.max(...Object.values(found).map(({ length }) => length));
  return {
    title: `CPU of an answer and a probe: ${against} and this checkout`,
    notes: [
      `${rounds} rounds of ${seconds} s with new processes, both sides at the same time; µs: median CPU of all processes of the service.`,
      `before / after: geometric mean of the rounds, above 1 if this checkout uses less; from, to: its 95 % confidence interval,`,
      'whose lower end must be at least 0.95. The last columns are the same ratio for single processes.',
    ],
    columns,
    rows,
  };
}
