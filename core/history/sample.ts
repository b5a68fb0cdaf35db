/**
 * What one probe found out about a server, for the history. A sample holds from `at` until the next sample, but at most
 * for `holdMs`. A time in which no sample holds is unknown.
 */
export interface Sample {
  /** Time of the probe, Unix ms. */
  readonly at: number;
  /** `unknown` ends the previous sample: from this time on, the server could not be queried. */
  readonly state: 'online' | 'offline' | 'unknown';
  /** Number of players; undefined if the server does not report it or is not online. */
  readonly players: number | undefined;
  /** Maximum number of players; undefined if the server does not report it or is not online. */
  readonly maxPlayers: number | undefined;
  readonly bots: number;
  /** Longest time for which the sample holds, ms: one and a half probe intervals. */
  readonly holdMs: number;
}
