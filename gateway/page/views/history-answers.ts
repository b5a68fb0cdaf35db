import type {
  RestHistory,
  RestHistorySample,
  RestIncidentPage,
  RestUptimeAnswer,
} from '../../../client/rest-types.generated.ts';

/** A step of a history of which something is known. A number is null if it is not known. */
export type HistoryStep = RestHistorySample;
/** The answer of `GET …/history`, without the names of the server. A step of which nothing is known is null. */
export type HistoryAnswer = Omit<RestHistory, 'game_id' | 'server'>;
/** The answer of `GET …/uptime`, without the names of the server. */
export type UptimeAnswer = Omit<RestUptimeAnswer, 'game_id' | 'server'>;
/** The answer of `GET …/incidents`: its incidents. */
export type IncidentsAnswer = Pick<RestIncidentPage, 'incidents'>;

/** The ranges of the chart: their length and the length of a step, seconds. None has more than 400 steps. */
export const RANGES = {
  day: { seconds: 86_400, step: 300 },
  week: { seconds: 7 * 86_400, step: 1_800 },
  month: { seconds: 30 * 86_400, step: 7_200 },
  year: { seconds: 365 * 86_400, step: 86_400 },
} as const;

export type RangeName = keyof typeof RANGES;

export function isRangeName(name: string | null): name is RangeName {
  return name !== null && Object.hasOwn(RANGES, name);
}

/** Returns the query of `GET …/history` for a range that ends at `now`, Unix ms. */
export function rangeQuery(range: RangeName, now: number): { from: string; step: string } {
  const { seconds, step } = RANGES[range];
  return { from: new Date(now - 1_000 * seconds).toISOString(), step: `${step}s` };
}
