import type { HistoryAnswer } from '../../views/history-answers.ts';

/** Numbers of players in each time step of a chart. Unknown numbers are null. */
export type Values = (number | null)[];

/** The data of a player chart: begin of each time step in Unix seconds, highest and mean number of players. */
export type ChartData = [times: number[], most: Values, mean: Values];

export function chartData({ from, step_seconds: step, samples }: HistoryAnswer): ChartData {
  const begin = Date.parse(from) / 1_000;
  return [
    samples.map((_, i) => begin + i * step),
    samples.map(sample => sample?.players_max ?? null),
    samples.map(sample => sample?.players_mean ?? null),
  ];
}

/**
 * Returns the indexes of known values without a known neighbour. A chart must draw them as points, because a line needs
 * at least two values.
 */
export function isolatedIndexes(values: Values): number[] {
  const isKnown = (index: number): boolean => typeof values[index] === 'number';
  return values.flatMap((_, i) => (isKnown(i) && !isKnown(i - 1) && !isKnown(i + 1) ? [i] : []));
}
