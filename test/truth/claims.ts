import { type Cell, cellName } from './cells.ts';
import { addCounters, type CellCounters, emptyCounters, quantile } from './counters.ts';

/** Result of the check of one claim about gsq, for example "no false offline report at 5 % packet loss". */
export interface Verdict {
  claim: string;
  held: boolean;
  /**
   * What the simulations have shown, as text. For a claim about a maximum, the text contains the worst value, and the
   * name of the simulation result with this value.
   */
  found: string;
}

/**
 * Checks one claim about gsq against the simulation results (`cells`). Returns undefined if `cells` contains no results
 * for this claim.
 */
type Claim = (cells: readonly Cell[], isLong: boolean) => Verdict | undefined;

/**
 * Scenarios in which game servers stop for good or become unreachable. The prober cannot distinguish these two cases.
 */
const ENDS = ['one-ends', 'fifth-ends', 'all-end', 'filtered', 'half-dead'];
const RESTARTS = ['restart-30', 'restart-90', 'restart-300'];
/**
 * Scenarios in which packets are lost not only at random. `limited`: a host limits its replies. `icmp`: routers reject
 * packets. `bursts`: all packets are lost for some seconds.
 */
const NOT_AT_RANDOM = ['limited', 'icmp', 'bursts'];
const MILLION = 1_000_000;
const MOST_VERDICT_INTERVALS = 10;

type Chosen = (cell: Cell) => boolean;

const lossIs =
  (...losses: number[]): Chosen =>
  ({ loss }) =>
    losses.includes(loss);
const isOf =
  (...scenarios: string[]): Chosen =>
  ({ scenario }) =>
    scenarios.includes(scenario);
const both =
  (a: Chosen, b: Chosen): Chosen =>
  cell =>
    a(cell) && b(cell);
const not =
  (a: Chosen): Chosen =>
  cell =>
    !a(cell);

/**
 * Returns a claim about a maximum: a function that checks whether the claim is true. The claim is true if `figure` is
 * at most `limit` in each cell that `chosen` selects. A cell is the result of one scenario, with one rate of packet
 * loss and one number of servers per host.
 */
function atMost(
  claim: string,
  chosen: Chosen,
  limit: number,
  figure: (counters: CellCounters) => number | undefined,
): Claim {
  return cells => {
    const figures = cells.filter(chosen).map(cell => ({ cell, value: figure(cell.counters) ?? Number.NaN }));
    const [worst] = figures.sort((a, b) => rank(b.value) - rank(a.value));
    if (!worst) return undefined;
    const found = `${shown(worst.value)} at most, ${cellName(worst.cell)}; of ${figures.length}`;
    return { claim, held: worst.value <= limit, found };
  };
}

/** Returns the sort key of a measured value. A missing value (NaN) is the worst value, so its sort key is infinity. */
function rank(value: number): number {
  return Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
}

function shown(value: number): string {
  if (Number.isNaN(value)) return 'nothing measured';
  return value === Number.POSITIVE_INFINITY ? 'never' : String(Math.round(value * 1000) / 1000);
}

/**
 * Returns a claim about false offline reports: a function that checks whether the claim is true. The claim is true if
 * false offline reports per probe are at most `share` in the chosen simulation results. If `isLong` is true, the
 * chosen results must also contain at least a million probes. `chosen` selects the simulation results.
 */
function falseOffline(name: string, chosen: Chosen, share: number): Claim {
  const limit = share === 0 ? 'none' : `at most 1 in ${Math.round(1 / share)}`;
  return (cells, isLong) => {
    const own = cells.filter(chosen);
    if (own.length === 0) return undefined;
    const { falseOffline, probes } = own.map(({ counters }) => counters).reduce(addCounters, emptyCounters());
    const enough = !isLong || probes >= MILLION;
    return {
      claim: `false offline ${name}: ${limit}${isLong ? ', in a million probes' : ''}`,
      held: falseOffline <= share * probes && enough,
      found: `${falseOffline} in ${probes} probes`,
    };
  };
}

const verdictAt = (share: number) => (counters: CellCounters) => quantile(counters.verdicts, share);
const returnAt = (share: number) => (counters: CellCounters) => quantile(counters.returns, share);

const knownLoss = lossIs(0, 5, 20);
const fewServers: Chosen = ({ size }) => size <= 10;
const returnsFast: Chosen = both(
  isOf(...RESTARTS),
  cell => lossIs(0, 5)(cell) || (lossIs(20)(cell) && fewServers(cell)),
);
const returnsLater: Chosen = both(isOf(...RESTARTS), both(lossIs(20), not(fewServers)));
/**
 * All scenarios in which game servers stop or become unreachable. `boxed`: a firewall answers for a stopped server.
 * `six`: only six servers, and outages of the prober's network.
 */
const endsAtAll: Chosen = isOf(...ENDS, 'boxed', 'six');

const CLAIMS: readonly Claim[] = [
  atMost(
    'ended to offline at 0 and 5 %: median within 1.6 intervals',
    both(isOf(...ENDS), lossIs(0, 5)),
    1.6,
    verdictAt(0.5),
  ),
  atMost(
    'ended to offline at 0 and 5 %: p99 within 3 intervals',
    both(isOf(...ENDS), lossIs(0, 5)),
    3,
    verdictAt(0.99),
  ),
  atMost(
    'ended to offline at 20 %: p99 within 6 intervals',
    both(isOf(...ENDS), lossIs(20)),
    6,
    verdictAt(0.99),
  ),
  atMost('ended to offline: always within 600 s', endsAtAll, MOST_VERDICT_INTERVALS, verdictAt(1)),
  atMost('returned to new data: p95 within 1 interval', returnsFast, 1, returnAt(0.95)),
  atMost('returned to new data: within 3 intervals', returnsFast, 3, returnAt(1)),
  atMost('returned to new data, 50 servers at 20 %: p95 within 2 intervals', returnsLater, 2, returnAt(0.95)),
  atMost('returned to new data, 50 servers at 20 %: within 5 intervals', returnsLater, 5, returnAt(1)),
  falseOffline('at 0 % loss', both(lossIs(0), not(isOf('bursts'))), 0),
  falseOffline('at 5 % loss', both(lossIs(5), not(isOf('bursts'))), 0),
  falseOffline('at 20 % loss', both(lossIs(20), not(isOf('bursts'))), 0),
  falseOffline('under ICMP rejects', both(isOf('icmp'), knownLoss), 0),
  falseOffline('through our own outage', both(isOf('outage'), knownLoss), 0),
  falseOffline('of servers that stand still for 45 s', both(isOf('unresponsive'), knownLoss), 0),
  falseOffline('at 40 % loss', both(lossIs(40), not(isOf('bursts', 'limited'))), 1e-5),
  falseOffline('under bursts of loss', isOf('bursts'), 1e-5),
  falseOffline('on a limiting host at 40 % loss', both(lossIs(40), isOf('limited')), 1e-4),
  atMost(
    'labelled rate_limited at 5 % random loss: nobody',
    both(lossIs(5), not(isOf(...NOT_AT_RANDOM))),
    0,
    counters => counters.rateLimited,
  ),
  atMost(
    'packets to an address within a second: 4',
    () => true,
    4,
    counters => counters.mostToAddress,
  ),
  atMost(
    'packets to a /24 within a second: 20',
    () => true,
    20,
    counters => counters.mostToNetwork,
  ),
];

/**
 * Checks all claims about gsq against the simulation results (`cells`). If `isLong` is true, a claim about false
 * offline reports also requires at least a million probes.
 */
export function judge(cells: readonly Cell[], isLong: boolean): Verdict[] {
  return CLAIMS.map(claim => claim(cells, isLong)).filter(verdict => verdict !== undefined);
}
