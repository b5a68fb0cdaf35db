import { renderTable } from '../bench/table.ts';
import { type Cell, cellName } from './cells.ts';
import type { Verdict } from './claims.ts';
import { quantile } from './counters.ts';

const COLUMNS = [
  { key: 'cell', heading: 'scenario/servers a host/loss each way' },
  { key: 'probes', heading: 'probes' },
  { key: 'ended', heading: 'ended' },
  { key: 'median', heading: 'median' },
  { key: 'p99', heading: 'p99' },
  { key: 'most', heading: 'max' },
  { key: 'wrong', heading: 'false offline' },
  { key: 'returned', heading: 'returned' },
  { key: 'p95', heading: 'p95' },
  { key: 'last', heading: 'max' },
  { key: 'packets', heading: 'packets/s a host', digits: 3 },
  { key: 'address', heading: 'most/s a host' },
  { key: 'network', heading: 'most/s a /24' },
  { key: 'limited', heading: 'rate_limited' },
];

/**
 * Formats a quantile of durations. `values`: the durations, as multiples of the probe interval. `share`: the quantile,
 * for example 0.5 for the median.
 */
function intervals(values: readonly number[], share: number): string {
  const value = quantile(values, share);
  if (value === undefined) return '';
  return value === Number.POSITIVE_INFINITY ? 'never' : value.toFixed(2);
}

/**
 * Formats the simulation results as a table. Each line contains the results for one combination of scenario, packet
 * loss and number of servers per host.
 */
export function cellTable(cells: readonly Cell[]): string {
  const rows = cells.map(cell => {
    const { counters } = cell;
    const { verdicts, returns } = counters;
    return {
      cell: cellName(cell),
      probes: counters.probes,
      ended: verdicts.length,
      median: intervals(verdicts, 0.5),
      p99: intervals(verdicts, 0.99),
      most: intervals(verdicts, 1),
      wrong: counters.falseOffline,
      returned: returns.length,
      p95: intervals(returns, 0.95),
      last: intervals(returns, 1),
      packets: counters.packets / counters.hostSeconds,
      address: counters.mostToAddress,
      network: counters.mostToNetwork,
      limited: counters.rateLimited,
    };
  });
  const notes = [
    'Times from a server’s end to offline, and from its return to its new data, in probe intervals.',
  ];
  return renderTable({ title: 'Cells', notes, columns: COLUMNS, rows });
}

/**
 * Returns one line of text for each checked claim about gsq. A line says whether the claim holds. The last line
 * contains the number of claims that hold and the number of claims that fail.
 */
export function verdictLines(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ claim, held, found }) => `${held ? 'held' : 'FAILED'}: ${claim} (${found})`);
  const held = verdicts.filter(verdict => verdict.held).length;
  return [...lines, `${held} passed, ${verdicts.length - held} failed`].join('\n');
}
