/** A step of `GET …/history` of which something is known. A number is null if it is not known. */
export interface HistoryStep {
  /** Begin of the step, RFC 3339. */
  at: string;
  players_mean: number | null;
  players_max: number | null;
  /** Share of the known time in which the server was online, 0 to 1. */
  online_share: number | null;
  known_share: number;
}

/** The answer of `GET …/history`. A step of which nothing is known is null. */
export interface HistoryAnswer {
  step_seconds: number;
  from: string;
  to: string;
  samples: (HistoryStep | null)[];
}

/** The answer of `GET …/uptime`. */
export interface UptimeAnswer {
  windows: { window: string; online_share: number | null; known_share: number }[];
}

/** The answer of `GET …/incidents`. */
export interface IncidentsAnswer {
  incidents: { started: string; ended: string | null; reason: string }[];
}

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
