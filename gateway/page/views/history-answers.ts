import type {
  RestHistory,
  RestHistorySample,
  RestIncidentPage,
  RestUptimeAnswer,
} from '../../../client/rest-types.generated.ts';

/**
 * One step (time interval) of the history of a server. At least one value of the step is known; unknown values are
 * null.
 */
export type HistoryStep = RestHistorySample;
/**
 * The answer of `GET …/history`, without the game and the address of the server. In this answer, a step without known
 * values is null.
 */
export type HistoryAnswer = Omit<RestHistory, 'game_id' | 'server'>;
/** The answer of `GET …/uptime`, without the game and the address of the server. */
export type UptimeAnswer = Omit<RestUptimeAnswer, 'game_id' | 'server'>;
/** The incidents (times in which a server was offline) in the answer of `GET …/incidents`. */
export type IncidentsAnswer = Pick<RestIncidentPage, 'incidents'>;

/**
 * The ranges of time that the player chart can show: the length of each range and of its steps, in seconds. A range has
 * at most 400 steps.
 */
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

/** Returns the query of `GET …/history` for a range of the player chart. The range ends at `now`, Unix ms. */
export function rangeQuery(range: RangeName, now: number): { from: string; step: string } {
  const { seconds, step } = RANGES[range];
  return { from: new Date(now - 1_000 * seconds).toISOString(), step: `${step}s` };
}
